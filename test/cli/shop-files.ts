/** A small application without a fault; the gallery of bad input breaks it in one place after the other. */
export const shopFiles = {
  ".valuestream/qvs.yaml": `params:
  - {name: version, type: string}
  - {name: replicas, type: int}
modules:
  - name: shop.example/adapters
    local: {path: ../adapters}
designPatterns:
  - pattern: shop.example/adapters/web
    params:
      appName: shop
      image: registry.example/shop:$(params.version)
      replicas: $(params.replicas)
      size: small
`,
  "params.yaml": `version: 1.0.0
replicas: 2
`,
  "adapters/cue.mod/module.cue": `module: "shop.example/adapters"
language: version: "v0.12.0"
`,
  "adapters/web/main.cue": `package web

DesignPattern: {
	parameters: {
		appName:  string
		image:    string
		replicas: int & >0 & <10 | *1
		size:     "small" | "large"
		secret?: {key: string, version?: string}
	}
	resources: app: deployment: {
		provider:   "kubernetes"
		apiVersion: "apps/v1"
		kind:       "Deployment"
		metadata: name: parameters.appName
		spec: replicas: parameters.replicas
		spec: template: spec: containers: [{name: "web", image: parameters.image}]
	}
}
`,
  "adapters/scaled/main.cue": `package scaled

DesignPattern: {
	parameters: replicas: int
	resources: app: deployment: spec: replicas: parameters.replicas
}
`,
  "adapters/circle/main.cue": `package circle

DesignPattern: resources: app: {
	for name, next in {one: "two", two: "three", three: "one"} {
		(name): {
			provider:   "kubernetes"
			apiVersion: "v1"
			kind:       "ConfigMap"
			metadata: "name": name
			metadata: annotations: "vs.axis-dev.io/dependsOn": "core:ConfigMap::\\(next)"
		}
	}
}
`,
} as const;
