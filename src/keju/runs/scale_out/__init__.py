"""A run spread over a Ray cluster: replicas of the model on its nodes, one writer here.

    driver     this process: opens the run folder, deals items out, writes each record as it comes
    replica    an actor on a node: opens the model, asks with the engine of every run

Ray gives places and carries messages; keju deals the items itself, one by one: there is no size of block to choose, and
what a lost replica had goes to others at once. `docs/scale.md` compares Ray Data, which deals blocks.

cluster    a Ray cluster, and whether the replicas fit
replicas   the replicas of one model, behind what a run must know of a model
replica    what runs on a node
remote     a replica as the driver sees it
dealing    who holds which item
spread     one session of asking
"""
