"""The images that the tests run in the cluster, as archives that containerd imports; a Docker engine of the tests builds them."""
