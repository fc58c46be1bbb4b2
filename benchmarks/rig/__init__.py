"""The measuring rig: an exam whose truth follows from the item's number, a mock server, clients, and a stopwatch.

exam.py            ids, keys, what the mock answers, and the files of the TCO layout
mock_server.py     an OpenAI-compatible server that costs next to nothing, with faults on demand
bare_client.py     the least a client can do: the limit
openai_script.py   the script that everybody writes first: the `openai` package, one item after the other
measured.py        runs one client against a fresh server and says what it cost
started.py         what it costs to start
installed.py       what an install without extras brings
report.py          all of it as Markdown
"""
