// Package kubernetes is imported by Helm only to name the module's version.
package kubernetes
