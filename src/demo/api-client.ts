/** A user's view of the HTTP API: a token, a site, and calls that give the envelope's data or fail with its text. */
export interface ApiClient {
  get<T>(path: string, query?: Record<string, string | number>): Promise<T>;
  post<T>(path: string, body?: unknown, query?: Record<string, string>): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
}

/** @param prefix e.g. `http://localhost:3000/v1/demo` @throws Error with method, path and the API's words */
export function apiClient(prefix: string, token: string): ApiClient {
  async function call<T>(
    method: string,
    path: string,
    body?: unknown,
    query?: Record<string, string | number>,
  ) {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) search.append(name, String(value));
    const response = await fetch(`${prefix}${path}${search.size > 0 ? `?${search}` : ''}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const envelope = (await response.json()) as { success: boolean; data: T; error: string | null };
    if (!envelope.success) throw new Error(`${method} ${path}: ${response.status} ${envelope.error}`);
    return envelope.data;
  }
  return {
    get: (path, query) => call('GET', path, undefined, query),
    post: (path, body, query) => call('POST', path, body, query),
    put: (path, body) => call('PUT', path, body),
  };
}
