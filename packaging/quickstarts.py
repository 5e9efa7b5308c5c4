"""What the frameworks' own pages begin with, and a function of ours, each with what it answers."""

FLASK = """
from flask import Flask

app = Flask(__name__)

@app.route("/")
def hello_world():
    return "<p>Hello, World!</p>"
"""
FLASK_ANSWERS = "<p>Hello, World!</p>"

FASTAPI = """
from fastapi import FastAPI

app = FastAPI()


@app.get("/")
async def root():
    return {"message": "Hello World"}
"""
FASTAPI_ANSWERS = '{"message":"Hello World"}'

PYTHON_FUNCTION = """
import handoff_worker
handoff_worker.serve(lambda request: handoff_worker.Response("hello from a function"))
"""

EXPRESS = """
const express = require('express')
const app = express()
const port = 3000

app.get('/', (req, res) => {
  res.send('Hello World!')
})

app.listen(port, () => {
  console.log(`Example app listening on port ${port}`)
})
"""
EXPRESS_ANSWERS = "Hello World!"

FETCH = 'export default { fetch: () => new Response("hello from fetch") };\n'
FETCH_ANSWERS = "hello from fetch"

NODE_FUNCTION = """
import { serve } from "handoff-worker";

serve(() => ({ body: "hello from a function" }));
"""
FUNCTION_ANSWERS = "hello from a function"
