// The files of a folder, as Express sends them.
import express from "express";

const [port, folder] = process.argv.slice(2);
express().use(express.static(folder)).listen(port, "127.0.0.1");
