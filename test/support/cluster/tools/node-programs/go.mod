module example.invalid/node-programs

go 1.26.0

tool (
	example.invalid/node-programs/load
	example.invalid/node-programs/pause
	example.invalid/node-programs/server
)
