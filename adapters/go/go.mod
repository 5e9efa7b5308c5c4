module handoff

go 1.22
