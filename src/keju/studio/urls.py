"""Every address of the studio. `projects/SLUG/…` is one project's; each part of the work adds its own list."""

from __future__ import annotations

from django.urls import include, path

from keju.studio.views import account, entrance

urlpatterns = [
    path("", entrance.home, name="home"),
    path("sign-in", entrance.SignIn.as_view(), name="sign-in"),
    path("sign-out", entrance.sign_out, name="sign-out"),
    path("enter/<str:token>", entrance.by_link, name="by-link"),
    path("account", account.account, name="account"),
    path("account/password", account.Password.as_view(), name="password"),
    path("language/", include("django.conf.urls.i18n")),
    path("", include("keju.studio.urls_project")),
    path("", include("keju.studio.urls_items")),
    path("", include("keju.studio.urls_people")),
    path("", include("keju.studio.urls_release")),
    path("", include("keju.studio.urls_work")),
]
