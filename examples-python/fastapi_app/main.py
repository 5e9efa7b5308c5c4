"""A shop's stock in FastAPI: validated input, a lifespan, work after the response. Nothing in it knows how it is served."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import BackgroundTasks, FastAPI, HTTPException
from pydantic import BaseModel, Field


class Item(BaseModel):
    name: str = Field(min_length=1, max_length=100)
    price: float = Field(gt=0)
    stock: int = Field(default=0, ge=0)


class Order(BaseModel):
    amount: int = Field(gt=0)


items: dict[str, Item] = {}
orders: list[str] = []


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Where a connection to a database would be opened and closed. No request comes before the first part is done."""
    items["tea"] = Item(name="tea", price=4.5, stock=10)
    yield
    items.clear()


app = FastAPI(title="Stock", lifespan=lifespan)


@app.get("/items")
async def all_items() -> list[Item]:
    return list(items.values())


@app.put("/items/{name}", status_code=201)
async def put_item(name: str, item: Item) -> Item:
    items[name] = item
    return item


@app.post("/items/{name}/orders", status_code=202)
async def order(name: str, order: Order, background: BackgroundTasks) -> dict[str, str]:
    item = items.get(name)
    if item is None:
        raise HTTPException(404, f"there is no {name}")
    if item.stock < order.amount:
        raise HTTPException(409, f"there are {item.stock} of {name}")
    item.stock -= order.amount
    background.add_task(send_confirmation, f"{order.amount} of {name}")
    return {"ordered": name}


@app.get("/orders")
async def all_orders() -> list[str]:
    return orders


def send_confirmation(text: str) -> None:
    """Runs after the response has left, on a thread of its own."""
    orders.append(text)
