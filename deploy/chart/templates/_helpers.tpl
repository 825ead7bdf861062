{{- define "tutti.selector" -}}
app.kubernetes.io/name: tutti
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tutti.labels" -}}
{{ include "tutti.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
tutti.dev/cluster: {{ .Values.cluster }}
{{- end }}

{{- define "tutti.peers" -}}
{{ .Release.Name }}-peers
{{- end }}

{{/* Where other nodes are: the headless services of the cluster's releases. */}}
{{- define "tutti.names" -}}
{{- $names := list -}}
{{- range prepend .Values.discovery.releases .Release.Name -}}
{{- $names = append $names (printf "%s-peers.%s.svc.%s:%d" . $.Release.Namespace $.Values.discovery.domain (int $.Values.node.port)) -}}
{{- end -}}
{{ join "," $names }}
{{- end }}
