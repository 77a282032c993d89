// Package errors tells apart the errors of a cluster, of which the engine has none.
package errors

// IsNotFound returns false.
func IsNotFound(error) bool { return false }
