"""
A Kubernetes of two nodes on this machine, in namespaces of its own: nothing of it leaves them, and killing its first process ends it all.

`outside` starts and ends it and asks it; `first` is the process that all others descend from; `node` is one of the nodes.
"""
