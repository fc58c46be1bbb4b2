"""A run spread over a Ray cluster: replicas of the model on its nodes, one writer here.

    driver     this process: opens the run folder, deals items out, writes each record as it comes
    replica    an actor on a node: opens the model, asks with the engine of every run

Ray gives places and carries messages; keju deals the items itself, one by one, because only then a lost replica costs
no more than what it had in flight. Ray Data hands out whole blocks and repeats a lost one, answered calls included.

cluster    a Ray cluster, and whether the replicas fit
replicas   the replicas of one model, behind what a run must know of a model
replica    what runs on a node
remote     a replica as the driver sees it
dealing    who holds which item
spread     one session of asking
"""
