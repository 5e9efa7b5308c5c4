{{- define "handoff.selector" -}}
app.kubernetes.io/name: handoff
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Of every object, and nothing in it changes with a version: what is unchanged is not written anew. */}}
{{- define "handoff.metadata" -}}
name: {{ .Release.Name }}
labels:
  {{- include "handoff.selector" . | nindent 2 }}
{{- end }}

{{/* The configuration file, or nothing where all of it is the default. */}}
{{- define "handoff.configuration" -}}
{{- $file := deepCopy .Values.settings }}
{{- with .Values.pools }}{{ $_ := set $file "pools" . }}{{ end }}
{{- with .Values.routes }}{{ $_ := set $file "routes" . }}{{ end }}
{{- if $file }}{{ toPrettyJson $file }}{{ end }}
{{- end }}

{{/* The Secret with the admin token, or nothing where each pod makes its own. */}}
{{- define "handoff.tokenSecret" -}}
{{- with .Values.adminToken }}{{ .secret | default (empty .value | ternary "" (printf "%s-admin" $.Release.Name)) }}{{ end }}
{{- end }}

{{/* Variables by name: a text, or where the value comes from. */}}
{{- define "handoff.environment" -}}
{{- range $name, $value := . }}
{{- if kindIs "map" $value }}
- name: {{ $name }}
  valueFrom: {{- toYaml $value | nindent 4 }}
{{- else }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}
{{- end }}

{{/* What the restricted standard asks of a container, and a file system that nothing stays in. */}}
{{- define "handoff.confined" -}}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: {drop: [ALL]}
{{- end }}
