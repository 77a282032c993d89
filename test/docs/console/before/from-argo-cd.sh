# What Argo CD leaves in a cluster: applied by the client, which is its default, and tracked by an annotation.
kubectl create namespace shop
cat > before.yaml <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {argocd.argoproj.io/tracking-id: "shop:/ConfigMap:shop/settings"}}
data: {colour: blue, size: small}
---
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {argocd.argoproj.io/tracking-id: "shop:/Service:shop/web"}}
spec:
  selector: {app: web}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/tracking-id: "shop:apps/Deployment:shop/web"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1.0.0", envFrom: [{configMapRef: {name: settings}}], readinessProbe: {tcpSocket: {port: 80}}, lifecycle: {preStop: {sleep: {seconds: 5}}}}]}
YAML
kubectl apply -n shop --field-manager=argocd-controller -f before.yaml
kubectl wait -n shop --for=condition=Available deployment/web --timeout=600s
