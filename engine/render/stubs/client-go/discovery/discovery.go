// Package discovery never discovers anything: there is no cluster.
package discovery

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// DiscoveryClient has the one method that Helm's lookup calls.
type DiscoveryClient struct{}

// NewDiscoveryClientForConfig fails always.
func NewDiscoveryClientForConfig(*rest.Config) (*DiscoveryClient, error) {
	return nil, errors.New("the render engine has no cluster")
}

// ServerResourcesForGroupVersion fails always.
func (*DiscoveryClient) ServerResourcesForGroupVersion(string) (*metav1.APIResourceList, error) {
	return nil, errors.New("the render engine has no cluster")
}
