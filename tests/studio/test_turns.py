"""Writers on SQLite queue: whoever came first is first, and one who waits too long is told so."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from time import sleep

import pytest
from django.db import Error, OperationalError, connection, connections, transaction

from keju.studio.models import Project

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has a queue of its own"),
]


@contextmanager
def at_work(*deeds):
    """Each deed in a thread of its own, begun a moment after the one before; all are over at the end."""
    threads = [threading.Thread(target=_closing, args=(deed,)) for deed in deeds]
    for thread in threads:
        thread.start()
        sleep(0.05)
    yield
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


def _closing(deed):
    try:
        deed()
    finally:
        connections.close_all()


@pytest.fixture
def order(home):
    return []


@pytest.fixture
def renames(home, order):
    """`renames(n)`: a deed that writes, in a transaction or with a single statement."""

    def of(number):
        def in_transaction():
            with transaction.atomic():
                Project.objects.filter(pk=home.pk).update(title=str(number))
                order.append(number)

        def alone():
            Project.objects.filter(pk=home.pk).update(title=str(number))
            order.append(number)

        return alone if number % 2 else in_transaction

    return of


def test_those_who_wait_to_write_are_served_in_the_order_in_which_they_came(renames, order):
    with transaction.atomic():
        work = at_work(*(renames(number) for number in range(8)))
        work.__enter__()
    work.__exit__(None, None, None)
    assert order == list(range(8))


def test_a_transaction_that_fails_lets_the_next_one_write(renames, order):
    class Mishap(Exception):
        pass

    with pytest.raises(Mishap), transaction.atomic():
        raise Mishap
    with at_work(renames(0), renames(1)):
        pass
    assert order == [0, 1]


@transaction.atomic
def cut_off():
    Project.objects.update(title="never")
    connection.close()
    Project.objects.count()


def test_a_connection_that_is_closed_in_a_transaction_lets_the_next_one_write(renames, order):
    def broken():
        with pytest.raises(Error, match="closed"):
            cut_off()

    with at_work(broken, renames(0)):
        pass
    assert order == [0]
    assert not Project.objects.filter(title="never").exists()


def test_who_waits_longer_than_the_settings_allow_is_told_that_the_data_base_is_locked(renames, order, monkeypatch):
    def impatient():
        with pytest.raises(OperationalError, match="locked"):
            renames(0)()
        order.append("refused")

    options = {**connection.settings_dict["OPTIONS"], "timeout": 0.05}
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    with transaction.atomic(), at_work(impatient):
        pass
    with at_work(renames(1)):
        pass
    assert order == ["refused", 1]


def test_readers_wait_for_nobody(home):
    seen = []
    with transaction.atomic():
        Project.objects.update(title="meanwhile")
        with at_work(lambda: seen.append(Project.objects.get(pk=home.pk).title)):
            pass
    assert seen == [home.title]
