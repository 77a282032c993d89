module qvs/host

go 1.26
