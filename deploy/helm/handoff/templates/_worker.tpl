{{/* One container of a worker: .name, .pool, .worker with the defaults in it. */}}
{{- define "handoff.worker" -}}
{{- $worker := .worker -}}
name: {{ .name }}
# A sidecar: it is told to end when the core has ended, so that it answers what the core still has.
restartPolicy: Always
image: {{ $worker.image }}
{{- with $worker.imagePullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- with $worker.command }}
command: {{ toJson . }}
{{- end }}
{{- with $worker.args }}
args: {{ toJson . }}
{{- end }}
env:
  - {name: HANDOFF_SOCKET, value: /run/handoff/handoff.sock}
  {{- with .pool }}
  - {name: HANDOFF_POOL, value: {{ . | quote }}}
  {{- end }}
  # Where the worker says that the core has welcomed it.
  - {name: HANDOFF_READY_FILE, value: /tmp/handoff-ready}
  {{- with include "handoff.environment" $worker.environment | trim }}
  {{- . | nindent 2 }}
  {{- end }}
{{- with $worker.environmentFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $worker.readinessProbe }}
readinessProbe: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $worker.livenessProbe }}
livenessProbe: {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  # Who may not write there can connect, but not put a socket of its own in place of the core's.
  - {name: socket, mountPath: /run/handoff, readOnly: true}
  - {name: {{ .name }}-temporary, mountPath: /tmp}
  {{- with $worker.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources: {{- toYaml $worker.resources | nindent 2 }}
{{ include "handoff.confined" . }}
{{- end }}

{{/* All containers of workers, as a list under the key `containers`: the other templates read it with fromYaml. */}}
{{- define "handoff.workers" -}}
{{- $containers := list }}
{{- range $name, $own := .Values.workers }}
{{- $worker := mergeOverwrite (deepCopy $.Values.workerDefaults) $own }}
{{- $pool := $worker.pool | default (empty $.Values.pools | ternary "" $name) }}
{{- $copies := int $worker.copies }}
{{- range $copy := untilStep 1 (int (add1 $copies)) 1 }}
{{- $container := eq $copies 1 | ternary $name (printf "%s-%d" $name $copy) }}
{{- $containers = append $containers (dict "name" $container "pool" $pool "worker" $worker) }}
{{- end }}
{{- end }}
{{- dict "containers" $containers | toYaml }}
{{- end }}
