"""Each command of docs/DEPLOYING.md on Kubernetes, word for word and in its order, under load."""

import re
from collections.abc import Iterator
from pathlib import Path

from cluster.deployed import NAMESPACE, NODE_PORT, Deployed, is_ready, space
from cluster.outside import Cluster
from cluster.terminal import Terminal
from live.client import ask
from live.process import until

ROOT = Path(__file__).resolve().parents[2]
SECTION = (ROOT / "docs" / "DEPLOYING.md").read_text().partition("## In Kubernetes")[2].partition("\n## ")[0]
BLOCKS = r"```sh\n(?P<block>.*?)```"
IN_THE_TEXT = r"(?<!`)`(?P<words>(?:kubectl|helm)\s[^`]+)`(?!`)"

VALUES = f"""
settings: {{logFormat: text}}
core: {{image: "registry.example.org/handoff:0.1.0", resources: {{requests: {{cpu: 200m}}}}}}
workers:
  app: {{image: "registry.example.org/app:1", resources: {{requests: {{cpu: 200m}}}}}}
service: {{type: NodePort, nodePort: {NODE_PORT}}}
"""
"""Those of the page, small enough for this machine, with a configuration and a port for the clients."""

SAYS = {
    r"helm upgrade --install app ": "STATUS: deployed",
    r"kubectl rollout status deployment/app": "successfully rolled out",
    r"helm upgrade app ": "REVISION: 2",
    r"helm history app": r"(?m)^2\s.*deployed",
    r"helm rollback app 1 --wait": "Rollback was a success",
    r"helm get values app --revision 3": r"app:1",
    r"kubectl rollout undo deployment/app": "rolled back",
    r"kubectl get pods ": r"0/2\s+Init:(CrashLoopBackOff|Error)",
    r"kubectl logs \S+ --container app": "this version does not start",
    r"kubectl describe pod ": "Back-off restarting failed container",
    r"kubectl logs \S+$": "default-external-1 is connected",
    r"kubectl exec \S+ -- handoff top --once": "default-external-1",
    r"kubectl exec \S+ -- sh -c .*TOKEN_FILE": r"\S{20}",
    r"kubectl exec \S+ -- handoff config check ": "handoff.json",
    r"kubectl exec \S+ -- handoff reload ": "the configuration file is read again",
    r"kubectl rollout restart deployment/app": "restarted",
    r"kubectl create secret ": "secret/handoff-admin created",
}
"""What each of them answers."""

FORWARDS = {
    r"kubectl port-forward service/app 8080:80": (8080, "/", 200),
    r"kubectl port-forward \S+ 8081": (8081, "/stats", 401),
}
"""The port, and what is to be had there; the statistics ask for the token."""

OF_THE_HARNESS = ("docker build", "docker push")


def commands() -> Iterator[str]:
    """A name alone, such as `helm upgrade`, is none."""
    for found in re.finditer(f"{BLOCKS}|{IN_THE_TEXT}", SECTION, re.DOTALL):
        if found["block"]:
            yield from found["block"].splitlines()
        elif len(words := found["words"].split()) > 3:
            yield " ".join(words)


class Operator:
    """Goes through the page, and does what it says between the commands."""

    def __init__(self, app: Deployed, terminal: Terminal) -> None:
        self._app = app
        self._terminal = terminal
        self._values = terminal.folder / "values.yaml"
        self._values.write_text(VALUES)

    def run(self, command: str) -> str:
        """Which of the known ones it is."""
        if command.startswith("helm upgrade app "):
            self._name_image("app:2")
        if command.startswith("kubectl get pods "):
            self._break()
        if re.match(r"kubectl logs \S+$", command):
            self._mend()
        command = command.replace("REVISION", "1")
        command = command.replace(" POD", f" {self._pod()}") if " POD" in command else command
        for known, (port, path, status) in FORWARDS.items():
            if re.match(known, command):
                with self._terminal.running(command, port):
                    assert ask(port, "GET", path).status == status
                return known
        (known,) = [each for each in SAYS if re.match(each, command)]
        said = self._terminal.run(command)
        assert re.search(SAYS[known], said), f"{command}: {said}"
        if "rollout" in command or "rollback" in command:
            self._app.await_rollout()
        return known

    def _name_image(self, image: str) -> None:
        self._values.write_text(re.sub(r"app:\d", image, self._values.read_text()))

    def _break(self) -> None:
        """With a version whose worker ends by itself, and without --atomic, which would take it back."""
        self._name_image("app:3")
        self._terminal.run("helm upgrade app deploy/helm/handoff --values values.yaml")
        until(lambda: self._is_broken() or None, "a worker has failed again and again")

    def _is_broken(self) -> bool:
        statuses = [each["status"].get("initContainerStatuses", []) for each in self._app.pods()]
        return any(
            status["restartCount"] > 1 and "waiting" in status["state"] for of_pod in statuses for status in of_pod
        )

    def _mend(self) -> None:
        self._terminal.run("helm rollback app 1 --wait")
        self._app.await_ready(2)

    def _pod(self) -> str:
        """One that is not ready; where all are, any."""
        pods = sorted(self._app.pods(), key=is_ready)
        name: str = pods[0]["metadata"]["name"]
        return name


def test_every_command_does_what_the_page_says(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    first, *rest = [each for each in commands() if not each.startswith(OF_THE_HARNESS)]
    with space(cluster) as app:
        operator = Operator(app, cluster.terminal(tmp_path, NAMESPACE))
        tried = {operator.run(first)}
        with app.asked() as clients:
            tried |= {operator.run(each) for each in rest}
            clients.await_more()
            clients.tell("each command of the page")

    assert clients.lost == 0, clients.outcomes
    assert tried == {*SAYS, *FORWARDS}
