/** A repository whose deployment has every kind of source (test/system/why.system.test.ts). */
export const password = "correct-horse-battery";

export const files = {
  ".valuestream/deployments.yaml": `
deployments:
  - {name: shop, config: qvs.yaml, params: [../params.yaml]}
  - {name: plain, config: plain.yaml}
`,
  ".valuestream/plain.yaml": `
modules: [{name: team.example/adapters, local: {path: ../adapters}}]
designPatterns: [{manifests: ../plain}, {pattern: team.example/adapters/copies}]
`,
  "adapters/copies/main.cue": `package copies

DesignPattern: resources: app: {
	token: {
		provider:   "kubernetes"
		apiVersion: "v1"
		kind:       "Secret"
		metadata: name: "token"
		stringData: token: "${password}"
	}
	copies: {
		provider:   "kubernetes"
		apiVersion: "v1"
		kind:       "ConfigMap"
		metadata: name: "copies"
		data: {
			copied:  "$(ref.token.stringData.token)"
			literal: "token=${password}"
			public:  "yes"
		}
	}
}
`,
  "plain/plain.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
data: {a: "b"}
`,
  ".valuestream/qvs.yaml": `
params:
  - {name: version, type: string}
  - {name: replicas, type: int}
  - {name: mode, type: string}
  - {name: password, type: string}
modules: [{name: team.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - pattern: team.example/adapters/web
    params:
      image: registry.example/web:$(params.version)
      replicas: $(params.replicas)
      port: 8080
      debug: true
  - pattern: team.example/adapters/login
    params: {password: $(params.password)}
  - manifests: ../k8s
  - kustomize: ../overlay
  - helm: {chart: ../chart, release: tools, set: {color: blue}}
`,
  "params.yaml": `version: 1.0.0
replicas: 2
password: ${password}
`,
  "adapters/cue.mod/module.cue": `module: "team.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  "adapters/web/main.cue": `package web

DesignPattern: {
	parameters: {image: string, replicas: int, port: int, debug: bool | *false}
	resources: app: web: {
		provider:   "kubernetes"
		apiVersion: "apps/v1"
		kind:       "Deployment"
		metadata: {name: "web", labels: "team.example/tier": "front"}
		spec: {
			replicas: parameters.replicas
			selector: matchLabels: app: "web"
			template: {
				metadata: labels: app: "web"
				spec: containers: [{
					name:  "web"
					image: parameters.image
					ports: [{containerPort: parameters.port}]
					if parameters.debug {
						args: ["--debug"]
					}
				}]
			}
		}
	}
}
`,
  "adapters/login/main.cue": `package login

DesignPattern: {
	parameters: password: string
	resources: app: login: {
		provider:   "kubernetes"
		apiVersion: "v1"
		kind:       "Secret"
		metadata: name: "login"
		stringData: password: parameters.password
	}
}
`,
  "k8s/scaled.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: scaled}
spec:
  replicas: 1
  selector: {matchLabels: {app: scaled}}
  template:
    metadata: {labels: {app: scaled}}
    spec: {containers: [{name: scaled, image: "registry.example/scaled:1"}]}
`,
  "k8s/settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  mode: $(params.mode)
  color: blue
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker}
spec:
  selector: {matchLabels: {app: worker}}
  template:
    metadata: {labels: {app: worker}}
    spec: {containers: [{name: worker, image: "registry.example/worker:1"}]}
`,
  "overlay/kustomization.yaml": `resources: [flags.yaml]
namePrefix: shop-
patches:
  - path: gamma.yaml
`,
  "overlay/gamma.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: flags}
data:
  gamma: "off"
`,
  "overlay/flags.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: flags}
data: {beta: "on"}
`,
  "chart/Chart.yaml": `apiVersion: v2
name: tools
version: 1.0.0
`,
  "chart/values.yaml": `size: large
color: red
`,
  "chart/templates/tools.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: tools}
data:
  size: {{ .Values.size }}
  color: {{ .Values.color }}
`,
};
