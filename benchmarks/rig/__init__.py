"""The measuring rig: an exam whose truth follows from the item's number, a mock server, clients, and a stopwatch.

exam.py            ids, keys, what the mock answers, and the files of the TCO layout
mock_server.py     an OpenAI-compatible server that costs next to nothing, with faults on demand
bare_client.py     the least a client can do: the limit
openai_script.py   the script that everybody writes first: the `openai` package, one item after the other
clients.py         how each of them is called
peer.py            the other tools as clients, in the environments of `tools/interop`
measured.py        runs one client against a fresh server and says what it cost
spent.py           what a command that ends by itself cost
started.py         what it costs to start
installed.py       what an install without extras brings
asked.py           one client asks one exam: cost, marks, and how the pictures arrived
marks.py           whether an output says of every item what the mock planned
report.py          the harness's results as Markdown
peers_page.py      those of `peers.py`
on_ray.py          drivers on a Ray cluster of this machine
page.py            the frame of a page of results
"""
