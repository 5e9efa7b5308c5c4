module.exports = (request, response) => response.end(`exported ${request.url}`);
