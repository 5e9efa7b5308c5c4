"""A route of FastAPI, with its validation of what comes and what goes."""

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse

app = FastAPI()


@app.get("/", response_class=PlainTextResponse)
async def hello(name: str = "hello") -> str:
    return f"{name}\n"
