// How a request is called in messages: method and path, without the query, which may be a list position of a thousand characters.

/** "GET /api/v1/pods". */
export function requestLine(method: string, path: string): string {
  const query = path.indexOf("?");
  return `${method} ${query < 0 ? path : path.slice(0, query)}`;
}
