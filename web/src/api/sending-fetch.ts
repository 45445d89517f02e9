/**
 * A `fetch` for one call that says how much of its body has been sent, which `fetch` itself does not know.
 * @param body the body of the call; what the request has would be read into memory first
 * @param sent called with the number of bytes, while the body is sent
 */
export const sendingFetch =
  (body: Blob, sent: (bytes: number) => void) =>
  (request: Request): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      const call = new XMLHttpRequest();
      call.open(request.method, request.url);
      for (const [name, value] of request.headers) call.setRequestHeader(name, value);
      call.upload.onprogress = ({ loaded }) => sent(loaded);
      call.onload = () => resolve(responseOf(call, request.url));
      // As fetch says it.
      call.onerror = () => reject(new TypeError('Failed to fetch'));
      signal.addEventListener('abort', () => {
        call.abort();
        reject(new DOMException('The call was cancelled', 'AbortError'));
      });
      call.send(body);
    });

function responseOf(call: XMLHttpRequest, url: string): Response {
  const headers = new Headers(
    call
      .getAllResponseHeaders()
      .trim()
      .split('\r\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  const response = new Response(call.responseText, { status: call.status, headers });
  // One that was made has no address of its own.
  return Object.defineProperty(response, 'url', { value: call.responseURL || url });
}
