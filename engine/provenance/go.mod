// The path is what allows these few files to read the evaluator's own data (see leaves.go); nothing is published here.
module cuelang.org/go/provenance

go 1.26

require cuelang.org/go v0.17.1

require (
	github.com/cockroachdb/apd/v3 v3.2.3 // indirect
	golang.org/x/text v0.38.0 // indirect
)
