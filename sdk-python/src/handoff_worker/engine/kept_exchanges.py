"""Requests that have not begun."""

from handoff_worker.protocol.exchange import Exchange


class KeptExchanges:
    """
    Those that wait since the core has not taken the responses to others.

    Of each client, which mostly is a connection, one begins in turn, its oldest. So nobody waits for all that another has sent ahead.
    """

    def __init__(self) -> None:
        self._clients: dict[int, str] = {}
        self._rows: dict[str, dict[int, Exchange]] = {}

    def __len__(self) -> int:
        return len(self._clients)

    def add(self, exchange: Exchange) -> None:
        client = exchange.client
        self.drop(exchange.id)  # only a core that breaks the protocol asks twice
        self._clients[exchange.id] = client
        self._rows.setdefault(client, {})[exchange.id] = exchange

    def drop(self, request_id: int) -> Exchange | None:
        """The request of that id, which is kept no more; `None` where it was not."""
        if request_id not in self._clients:
            return None
        client = self._clients.pop(request_id)
        row = self._rows[client]
        exchange = row.pop(request_id)
        if not row:
            del self._rows[client]
        return exchange

    def take_next(self) -> Exchange:
        """The oldest of the client whose turn it is, and whose next turn comes after that of all others. There is one."""
        client = next(iter(self._rows))
        row = self._rows.pop(client)
        request_id = next(iter(row))
        del self._clients[request_id]
        exchange = row.pop(request_id)
        if row:
            self._rows[client] = row
        return exchange

    def take_all(self) -> list[Exchange]:
        """Keeps none."""
        exchanges = [exchange for row in self._rows.values() for exchange in row.values()]
        self._clients.clear()
        self._rows.clear()
        return exchanges
