// Package rest declares the type of a connection, which the engine never has.
package rest

// Config is empty: there is no cluster.
type Config struct{}
