{{/* What the schema cannot see: values that do not fit each other. Each is told in the words of the values. */}}
{{- define "handoff.mistakes" -}}
{{- $values := .Values }}
{{- $served := dict }}
{{- range $name, $worker := $values.workers }}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$" $name) }}
{{- fail (printf "workers.%s: the name of a container has small letters, digits and hyphens" $name) }}
{{- end }}
{{- if eq $name "handoff" }}
{{- fail "workers.handoff: that is what the container of the core is called" }}
{{- end }}
{{- $pool := $worker.pool | default $name }}
{{- $_ := set $served $pool $name }}
{{- if and $values.pools (not (hasKey $values.pools $pool)) }}
{{- fail (printf "workers.%s serves the pool %s, which is not among pools: %s" $name $pool (keys $values.pools | sortAlpha | join ", ")) }}
{{- end }}
{{- if and (not $values.pools) (hasKey $worker "pool") }}
{{- fail (printf "workers.%s names the pool %s, but there are no pools" $name $pool) }}
{{- end }}
{{- range $variable := list "HANDOFF_SOCKET" "HANDOFF_POOL" "HANDOFF_READY_FILE" }}
{{- if or (hasKey ($worker.environment | default dict) $variable) (hasKey ($values.workerDefaults.environment | default dict) $variable) }}
{{- fail (printf "workers.%s.environment.%s: the chart sets this itself" $name $variable) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $pool := $values.pools }}
{{- if not (or $pool.command $pool.servers (hasKey $served $name)) }}
{{- fail (printf "pools.%s has nobody who serves it: name a worker %s, or give a worker pool: %s" $name $name $name) }}
{{- end }}
{{- end }}
{{- if not (or $values.workers $values.pools $values.core.args) }}
{{- fail "there is no worker: say at least --set workers.app.image=IMAGE" }}
{{- end }}
{{- if and $values.core.args (or $values.pools $values.routes $values.settings) }}
{{- fail "core.args takes the place of `serve` with pools, routes and settings: give one of both" }}
{{- end }}
{{- range $name := list "HOST" "PORT" "LISTEN" "ADMIN_HOST" "ADMIN_PORT" "NO_ADMIN" "ADMIN_TOKEN_FILE" "SOCKET" "SPOOL_DIRECTORY" "DRAIN_TIMEOUT" }}
{{- if hasKey $values.core.environment (printf "HANDOFF_%s" $name) }}
{{- fail (printf "core.environment.HANDOFF_%s: the chart sets this itself" $name) }}
{{- end }}
{{- end }}
{{- with $values.adminToken }}
{{- if and .value .secret }}
{{- fail "adminToken has a value and a secret: give one of both" }}
{{- end }}
{{- if and $values.podMonitor.enabled (not (or .value .secret)) }}
{{- fail "podMonitor needs a token that Prometheus can read: set adminToken.secret to the name of a Secret, or adminToken.value" }}
{{- end }}
{{- end }}
{{- with $values.ingress }}
{{- if and .enabled (not .hosts) }}
{{- fail "ingress.hosts is empty: name the hosts that are served" }}
{{- end }}
{{- end }}
{{- with $values.httpRoute }}
{{- if and .enabled (not .parentRefs) }}
{{- fail "httpRoute.parentRefs is empty: name the Gateway, such as [{name: public}]" }}
{{- end }}
{{- end }}
{{- with $values.autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail (printf "autoscaling.minReplicas is %d, more than maxReplicas, %d" (int .minReplicas) (int .maxReplicas)) }}
{{- end }}
{{- end }}
{{- end }}
