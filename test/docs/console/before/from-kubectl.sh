kubectl create namespace shop
mkdir k8s
cat > k8s/shop.yaml <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue, size: small}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/web:1.0.0", envFrom: [{configMapRef: {name: settings}}], readinessProbe: {tcpSocket: {port: 80}}, lifecycle: {preStop: {sleep: {seconds: 5}}}}]}
YAML
kubectl apply -n shop -f k8s/
kubectl wait -n shop --for=condition=Available deployment/web --timeout=600s
