// Package v1beta1 registers nothing: the list of client-go's stub contains its group version.
package v1beta1

// AddToScheme does nothing.
func AddToScheme(any) error { return nil }
