{{- define "handoff.core" -}}
{{- $core := .Values.core -}}
{{- $file := include "handoff.configuration" . -}}
{{- $secret := include "handoff.tokenSecret" . -}}
name: handoff
image: {{ $core.image }}
{{- with $core.imagePullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
args: {{ $core.args | default (empty $file | ternary (list "serve") (list "serve" "--config" "/etc/handoff/handoff.json")) | toJson }}
env:
  - {name: HANDOFF_HOST, value: {{ .Values.address | quote }}}
  # Probes come from the node. They need no token, and everything else does.
  - {name: HANDOFF_ADMIN_HOST, value: {{ .Values.address | quote }}}
  - {name: HANDOFF_ADMIN_TOKEN_FILE, value: {{ empty $secret | ternary "/var/lib/handoff/admin-token" (printf "/etc/handoff-admin/%s" .Values.adminToken.key) }}}
  - {name: HANDOFF_SOCKET, value: /run/handoff/handoff.sock}
  - {name: HANDOFF_SPOOL_DIRECTORY, value: /var/spool/handoff}
  - {name: HANDOFF_DRAIN_TIMEOUT, value: {{ .Values.drainSeconds }}s}
  {{- with include "handoff.environment" $core.environment | trim }}
  {{- . | nindent 2 }}
  {{- end }}
ports:
  - {name: http, containerPort: 8080}
  - {name: admin, containerPort: 8081}
# Java starts within a second, or some where it gets little of a processor.
startupProbe: {httpGet: {path: /live, port: admin}, periodSeconds: 1, failureThreshold: 60}
# Whether each pool has a worker that takes requests.
readinessProbe: {httpGet: {path: /ready, port: admin}, periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 1}
livenessProbe: {httpGet: {path: /live, port: admin}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3}
# Told to end, it closes its port, which others may not know yet.
lifecycle: {preStop: {exec: {command: [sleep, {{ .Values.preStopSeconds | quote }}]}}}
volumeMounts:
  - {name: socket, mountPath: /run/handoff}
  - {name: spool, mountPath: /var/spool/handoff}
  - {name: core-temporary, mountPath: /tmp}
  {{- if $secret }}
  - {name: admin-token, mountPath: /etc/handoff-admin, readOnly: true}
  {{- else }}
  - {name: admin-token, mountPath: /var/lib/handoff}
  {{- end }}
  {{- if $file }}
  # The folder, as a file that is mounted by itself stays as it is.
  - {name: configuration, mountPath: /etc/handoff, readOnly: true}
  {{- end }}
  {{- with $core.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources: {{- toYaml $core.resources | nindent 2 }}
{{ include "handoff.confined" . }}
{{- end }}
