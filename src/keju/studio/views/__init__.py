"""The pages, one module a part of the work. Each view of a project is made with `keju.studio.access.page`."""
