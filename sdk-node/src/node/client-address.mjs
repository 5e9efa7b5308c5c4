/** @file Who sent a request, in the words of `net.Socket`; undefined behind a Unix socket, as there. */

const UNIX = "unix:0";

/** @param {string} client `address:port` of the key `client` */
export function addressOf(client) {
  if (client === UNIX) return undefined;
  const address = client.slice(0, client.lastIndexOf(":"));
  return address.startsWith("[") ? address.slice(1, -1) : address;
}

/** @param {string} client */
export function portOf(client) {
  return client === UNIX ? undefined : Number(client.slice(client.lastIndexOf(":") + 1));
}

/** @param {string} client */
export function familyOf(client) {
  return client === UNIX ? undefined : client.startsWith("[") ? "IPv6" : "IPv4";
}
