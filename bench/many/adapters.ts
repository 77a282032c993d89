/**
 * Returns a repository of many applications as relative paths with contents: five shared adapters
 * that each write one kind of object, and one adapter for each application, which composes the
 * shared ones with about thirty parameters.
 */
export function adapterFiles(applications: number): Readonly<Record<string, string>> {
  const own = Array.from({ length: applications }, (_, number) => applicationAdapter(number));
  return Object.assign(
    {
      "cue.mod/module.cue": `module: "${modulePath}"\nlanguage: version: "v0.12.0"\n`,
      ...parts,
    },
    ...own,
  );
}

export const modulePath = "bench.example/adapters";

/** Returns a name such as `app07`. */
export function applicationName(number: number): string {
  return `app${String(number + 1).padStart(2, "0")}`;
}

/** Returns the params of one config of an application. Every config gets different values. */
export function paramsOf(application: number, config: number) {
  const name = `${applicationName(application)}-${config}`;
  return {
    appName: name,
    namespace: `team-${application % 5}`,
    image: `registry.example/${name}:1.${config}`,
    replicas: 2 + (config % 5),
    maxReplicas: 20,
    port: 8080 + application,
    cpuRequest: `${100 + config}m`,
    memoryRequest: "256Mi",
    memoryLimit: "512Mi",
    host: `${name}.example.com`,
    paths: ["/", "/api", `/v${config}`],
    logLevel: config % 2 === 0 ? "info" : "debug",
    env: [
      { name: "REGION", value: "tokyo" },
      { name: "CONFIG", value: String(config) },
    ],
    settings: Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`setting${i}`, `${name}-${i}`]),
    ),
    labels: { team: `team-${application % 5}`, tier: "web" },
  };
}

function applicationAdapter(number: number): Readonly<Record<string, string>> {
  const name = applicationName(number);
  return {
    [`${name}/main.cue`]: applicationText(name, number),
    [`${name}/native.cue`]: nativeText(name),
  };
}

function applicationText(name: string, number: number): string {
  return `package ${name}

import (
	"${modulePath}/parts/config"
	"${modulePath}/parts/deployment"
	"${modulePath}/parts/ingress"
	"${modulePath}/parts/scaler"
	"${modulePath}/parts/service"
)

DesignPattern: {
	name: "${name}"
	parameters: {
		appName:       string
		namespace:     string
		image:         string
		replicas:      int & >0 & <100
		maxReplicas:   int & >=replicas
		port:          int & >0 & <65536 | *8080
		cpuRequest:    =~"^[0-9]+m$" | *"100m"
		cpuLimit?:     string
		memoryRequest: string | *"128Mi"
		memoryLimit:   string | *"256Mi"
		host:          string
		paths: [...string]
		tlsSecret:     string | *"\\(appName)-tls"
		logLevel:      "debug" | "info" | "warn" | *"info"
		probePath:     string | *"/healthz"
		probePeriod:   int | *10
		gracePeriod:   int | *${30 + number}
		pullPolicy:    "Always" | "IfNotPresent" | *"IfNotPresent"
		serviceType:   "ClusterIP" | "NodePort" | *"ClusterIP"
		ingressClass:  string | *"nginx"
		targetCpu:     int & >0 & <=100 | *70
		maxSurge:      string | *"25%"
		maxUnavailable: int | *0
		runAsUser:     int | *${1000 + number}
		nodeSelector: {[string]: string} | *{"kubernetes.io/os": "linux"}
		env: [...{name: string, value: string}] | *[]
		settings: {[string]: string}
		labels: {[string]: string} | *{}
		annotations: {[string]: string} | *{}
	}
	let p = parameters
	let common = {appName: p.appName, namespace: p.namespace}
	composites: [
		{pattern: config.DesignPattern, params: common & {
			data: {for k, v in p.settings {(k): v}, LOG_LEVEL: p.logLevel, APPLICATION: "${name}"}
		}},
		{pattern: deployment.DesignPattern, params: common & {
			image:    p.image
			replicas: p.replicas
			port:     p.port
			env: p.env
			cpuRequest:     p.cpuRequest
			memoryRequest:  p.memoryRequest
			memoryLimit:    p.memoryLimit
			probePath:      p.probePath
			probePeriod:    p.probePeriod
			gracePeriod:    p.gracePeriod
			pullPolicy:     p.pullPolicy
			maxSurge:       p.maxSurge
			maxUnavailable: p.maxUnavailable
			runAsUser:      p.runAsUser
			nodeSelector:   p.nodeSelector
		}},
		{pattern: service.DesignPattern, params: common & {port: p.port, type: p.serviceType}},
		{pattern: ingress.DesignPattern, params: common & {
			host:      p.host
			paths:     p.paths
			className: p.ingressClass
			tlsSecret: p.tlsSecret
		}},
		{pattern: scaler.DesignPattern, params: common & {
			minReplicas: p.replicas
			maxReplicas: p.maxReplicas
			targetCpu:   p.targetCpu
		}},
	]
	resources: app: deployment: {
		metadata: "annotations": {p.annotations, "bench.example/application": "${name}"}
		...
	}
	defer: app: {
		for id, _ in resources.app {
			(id): metadata: "labels": {p.labels, "app.kubernetes.io/part-of": "${name}"}
		}
	}
}
`;
}

/**
 * Returns a CUE file with which `cue export` creates the same objects, because it doesn't know
 * composites and `defer`.
 */
function nativeText(name: string): string {
  const unified = (stage: string) => `	${stage}: {
		for composite in DesignPattern.composites
		let one = (composite.pattern & {parameters: composite.params}).resources
		if one.${stage} != _|_ {one.${stage}}
	}
`;
  return `@if(native)

package ${name}

Native: {
${unified("appSetup")}${unified("app")}	app: DesignPattern.resources.app
	app: [string]: metadata: labels: {DesignPattern.parameters.labels, "app.kubernetes.io/part-of": "${name}"}
}
`;
}

const parts = {
  "parts/common/common.cue": `package common

#Object: {
	provider:   "kubernetes"
	apiVersion: string
	kind:       string
	metadata: {
		name:      string
		namespace: string
		labels: {[string]: string}
		annotations?: {[string]: string}
	}
	...
}
`,
  "parts/config/config.cue": part("config", {
    parameters: "data: {[string]: string}",
    stage: "appSetup",
    id: "config",
    object: `apiVersion: "v1"
		kind: "ConfigMap"
		data: p.data`,
  }),
  "parts/deployment/deployment.cue": part("deployment", {
    parameters: `image: string
		replicas: int
		port: int
		env: [...{name: string, value: string}]
		cpuRequest: string
		memoryRequest: string
		memoryLimit: string
		probePath: string
		probePeriod: int
		gracePeriod: int
		pullPolicy: string
		maxSurge: string
		maxUnavailable: int
		runAsUser: int
		nodeSelector: {[string]: string}`,
    stage: "app",
    id: "deployment",
    object: `apiVersion: "apps/v1"
		kind: "Deployment"
		spec: {
			replicas: p.replicas
			selector: matchLabels: app: p.appName
			strategy: {type: "RollingUpdate", rollingUpdate: {maxSurge: p.maxSurge, maxUnavailable: p.maxUnavailable}}
			template: {
				metadata: labels: app: p.appName
				spec: {
					terminationGracePeriodSeconds: p.gracePeriod
					nodeSelector: p.nodeSelector
					securityContext: {runAsNonRoot: true, runAsUser: p.runAsUser}
					containers: [{
						name: p.appName
						image: p.image
						imagePullPolicy: p.pullPolicy
						ports: [{name: "http", containerPort: p.port}]
						env: list.Concat([p.env, [{name: "APP_NAME", value: p.appName}]])
						envFrom: [{configMapRef: name: p.appName}]
						resources: {
							requests: {cpu: p.cpuRequest, memory: p.memoryRequest}
							limits: memory: p.memoryLimit
						}
						for probe in ["livenessProbe", "readinessProbe"] {
							(probe): {httpGet: {path: p.probePath, port: "http"}, periodSeconds: p.probePeriod}
						}
						securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true}
					}]
				}
			}
		}`,
    imports: '\t"list"\n',
  }),
  "parts/service/service.cue": part("service", {
    parameters: "port: int\n\t\ttype: string",
    stage: "app",
    id: "service",
    object: `apiVersion: "v1"
		kind: "Service"
		spec: {type: p.type, selector: app: p.appName, ports: [{name: "http", port: 80, targetPort: p.port}]}`,
  }),
  "parts/ingress/ingress.cue": part("ingress", {
    parameters:
      "host: string\n\t\tpaths: [...string]\n\t\tclassName: string\n\t\ttlsSecret: string",
    stage: "app",
    id: "ingress",
    object: `apiVersion: "networking.k8s.io/v1"
		kind: "Ingress"
		spec: {
			ingressClassName: p.className
			tls: [{hosts: [p.host], secretName: p.tlsSecret}]
			rules: [{host: p.host, http: paths: [for each in p.paths {
				path: each, pathType: "Prefix", backend: service: {name: p.appName, port: name: "http"}
			}]}]
		}`,
  }),
  "parts/scaler/scaler.cue": part("scaler", {
    parameters: "minReplicas: int\n\t\tmaxReplicas: int\n\t\ttargetCpu: int",
    stage: "app",
    id: "scaler",
    object: `apiVersion: "autoscaling/v2"
		kind: "HorizontalPodAutoscaler"
		spec: {
			scaleTargetRef: {apiVersion: "apps/v1", kind: "Deployment", name: p.appName}
			minReplicas: p.minReplicas
			maxReplicas: p.maxReplicas
			metrics: [{type: "Resource", resource: {name: "cpu", target: {type: "Utilization", averageUtilization: p.targetCpu}}}]
		}`,
  }),
};

interface Part {
  readonly parameters: string;
  readonly stage: string;
  readonly id: string;
  readonly object: string;
  readonly imports?: string;
}

function part(name: string, { parameters, stage, id, object, imports = "" }: Part): string {
  return `package ${name}

import (
${imports}	"${modulePath}/parts/common"
)

DesignPattern: {
	parameters: {
		appName: string
		namespace: string
		${parameters}
	}
	let p = parameters
	resources: ${stage}: ${id}: common.#Object & {
		metadata: {name: p.appName, namespace: p.namespace, labels: app: p.appName}
		${object}
	}
}
`;
}
