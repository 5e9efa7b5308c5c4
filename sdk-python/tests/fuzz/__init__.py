"""
Fuzz targets of the Python SDK. `make fuzz` searches with Atheris; test_fuzz_corpus.py runs what lies in `corpus`.

Each module here is a target. Its `holds` raises for an input that breaks the properties that the module's comment states. Its
`read` gives an input to the SDK and does nothing else, so that its work can be counted.
"""
