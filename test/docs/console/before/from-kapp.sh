# What kapp 0.64.2 leaves in a cluster after `kapp deploy -a shop -n shop`: its labels are in selectors, too.
kubectl create namespace shop
cat > before.yaml <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {kapp.k14s.io/app: "1795374448194409145", kapp.k14s.io/association: v1.0763a8e12e9207d2d21b01e61c831db3}
  annotations: {kapp.k14s.io/identity: v1;shop//ConfigMap/settings;v1}
data: {colour: blue, size: small}
---
apiVersion: v1
kind: Service
metadata:
  name: web
  labels: {kapp.k14s.io/app: "1795374448194409145", kapp.k14s.io/association: v1.86098e81564e9102742f72bdc1d46761}
  annotations: {kapp.k14s.io/identity: v1;shop//Service/web;v1}
spec:
  selector: {app: web, kapp.k14s.io/app: "1795374448194409145"}
  ports: [{port: 80}]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {kapp.k14s.io/app: "1795374448194409145", kapp.k14s.io/association: v1.834e05a245aa7a478a77208704409739}
  annotations: {kapp.k14s.io/identity: v1;shop/apps/Deployment/web;apps/v1}
spec:
  replicas: 2
  selector: {matchLabels: {app: web, kapp.k14s.io/app: "1795374448194409145"}}
  template:
    metadata:
      labels:
        app: web
        kapp.k14s.io/app: "1795374448194409145"
        kapp.k14s.io/association: v1.834e05a245aa7a478a77208704409739
    spec: {containers: [{name: web, image: "registry.example/web:1.0.0", envFrom: [{configMapRef: {name: settings}}], readinessProbe: {tcpSocket: {port: 80}}, lifecycle: {preStop: {sleep: {seconds: 5}}}}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: shop, labels: {kapp.k14s.io/is-app: ""}}
data: {spec: "{}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: shop-change-vvm9m, labels: {kapp.k14s.io/is-app-change: "", kapp.k14s.io/app-change-app-name: shop}}
data: {spec: "{}"}
YAML
kubectl create -n shop --field-manager=kapp -f before.yaml
kubectl wait -n shop --for=condition=Available deployment/web --timeout=600s
