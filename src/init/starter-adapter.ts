/**
 * The adapter for an empty repository.
 * It is small, belongs to the user, and shows everything that most adapters need.
 */
export const starterAdapter = `// Package app runs one HTTP service with its settings.
package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

DesignPattern: {
	// The values that can differ between deployments. .valuestream/qvs.yaml sets them.
	parameters: {
		name:      string
		namespace: string
		image:     string
		port:      int & >0 & <65536
		replicas:  int | *2
		// Environment variables of the container.
		settings: [string]: string
	}

	// New settings get a new name: running Pods keep their settings until the new Pods are ready.
	let _hash = strings.SliceRunes(hex.Encode(sha256.Sum256(json.Marshal(parameters.settings))), 0, 10)
	let _settings = "\\(parameters.name)-settings-\\(_hash)"
	let _labels = {"app.kubernetes.io/name": parameters.name}

	// appSetup is deployed before app. Remove the Namespace if it is created elsewhere.
	resources: appSetup: namespace: {
		apiVersion: "v1"
		kind:       "Namespace"
		metadata: name: parameters.namespace
	}

	resources: app: {
		settings: {
			apiVersion: "v1"
			kind:       "ConfigMap"
			metadata: {name: _settings, namespace: parameters.namespace}
			data: parameters.settings
		}

		service: {
			apiVersion: "v1"
			kind:       "Service"
			metadata: {name: parameters.name, namespace: parameters.namespace}
			spec: {
				selector: _labels
				ports: [{name: "http", port: 80, targetPort: parameters.port}]
			}
		}

		deployment: {
			apiVersion: "apps/v1"
			kind:       "Deployment"
			metadata: {name: parameters.name, namespace: parameters.namespace}
			spec: {
				replicas: parameters.replicas
				selector: matchLabels: _labels
				template: {
					metadata: labels: _labels
					spec: containers: [{
						name:  parameters.name
						image: parameters.image
						ports: [{name: "http", containerPort: parameters.port}]
						envFrom: [{configMapRef: name: _settings}]
						// A new Pod gets requests when this probe succeeds. A rollout waits for it.
						readinessProbe: tcpSocket: port: "http"
						// An old Pod still answers for 5 s, until no more requests are sent to it.
						lifecycle: preStop: sleep: seconds: 5
					}]
				}
			}
		}
	}
}
`;
