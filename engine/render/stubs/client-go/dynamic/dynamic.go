// Package dynamic declares what Helm's lookup calls. The engine has no cluster, and calls none of it.
package dynamic

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Unstructured is an object of any kind.
type Unstructured interface{ UnstructuredContent() map[string]any }

// ResourceInterface reads the objects of a kind.
type ResourceInterface interface {
	Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (Unstructured, error)
	List(ctx context.Context, options metav1.ListOptions) (Unstructured, error)
}

// NamespaceableResourceInterface reads the objects of a kind in a namespace.
type NamespaceableResourceInterface interface {
	ResourceInterface
	Namespace(string) ResourceInterface
}

// Interface reads the objects of a cluster.
type Interface interface {
	Resource(schema.GroupVersionResource) NamespaceableResourceInterface
}

// NewForConfig fails always.
func NewForConfig(*rest.Config) (Interface, error) {
	return nil, errors.New("the render engine has no cluster")
}
