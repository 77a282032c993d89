# What `helm install shop` of Helm 3 leaves in a cluster.
kubectl create namespace shop
cat > before.yaml <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {app.kubernetes.io/managed-by: Helm}
  annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: shop}
data: {colour: blue, size: small}
---
apiVersion: v1
kind: Service
metadata:
  name: web
  labels: {app.kubernetes.io/managed-by: Helm}
  annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: shop}
spec:
  selector: {app: web}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app.kubernetes.io/managed-by: Helm}
  annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1.0.0", envFrom: [{configMapRef: {name: settings}}], readinessProbe: {tcpSocket: {port: 80}}, lifecycle: {preStop: {sleep: {seconds: 5}}}}]}
---
apiVersion: v1
kind: Secret
metadata: {name: sh.helm.release.v1.shop.v1, labels: {owner: helm, name: shop, status: deployed, version: "1"}}
type: helm.sh/release.v1
YAML
kubectl create -n shop --field-manager=helm -f before.yaml
kubectl wait -n shop --for=condition=Available deployment/web --timeout=600s
