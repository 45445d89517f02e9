/** Introduction of the reference, before the first operation: `info.description`, in Markdown. */
export const introduction = `
Facteur sends email campaigns to the subscribers of a *site*: one customer database, with its own fields, targets,
campaigns and statistics.

**Token.** Every request carries \`Authorization: Bearer <token>\`. The first start of the service prints an
administrator's token and keeps it in \`<data>/admin-token\`; others are created under \`/admin/v1/tokens\` or by
\`npx facteur token create\`. A token has access to some sites or all, with a role: \`reader\` reads, \`editor\`
writes as well, \`sender\` sends as well, \`admin\` may do everything. Administration (\`/admin/v1\`) requires an
\`admin\` token for all sites. To try operations here, press *Authorize* and paste the token.

**Session.** A page of the service itself signs its user in by \`POST /v1/session\` and needs no token: the
response sets a cookie. Such a request has the rights of the user. Unless it is a GET or HEAD, its header
\`Origin\` must name the service's own address. A request that carries a token is judged by the token alone.

**Site.** \`idsite\` in a path is the site's name. The first start creates the site \`demo\`. A site that does not
exist, and one that the token has no access to, both return 404.

**Envelope.** Every response has four properties: \`success\`, \`data\`, \`error\`, \`typeName\`. On success \`error\`
is null; on failure \`data\` is null, unless an operation says that it reports partial work.

**Errors.** The status says the kind, \`error\` says in words which property or parameter breaks which rule, and the
header \`x-error-code\` has a word that programs can rely on. The header \`x-request-id\` identifies a request in the
log. Unknown properties and parameters are rejected by name, so that a misspelt one is never ignored.

**Reading.** HEAD returns what GET does, without the body. Responses, except those of administration, are compressed
with Brotli or gzip if the client accepts that. Longer responses of GET carry an \`ETag\`: sent back as
\`If-None-Match\`, it returns 304 while nothing has changed. Operations that list the header \`If-Match\` accept the
\`ETag\` of the record: if another caller changed it since, they return 412. With \`If-None-Match: *\`, operations
that list this header create a record and never change one. Texts must be well-formed Unicode: half a surrogate pair is
rejected.

**None.** Where a property may name a record by its id (\`idDirectory\`, \`idTestTarget\`), 0 means none, and removes
the present one; responses say null. Each property describes what null means in a change.

**Dates.** Date-times are ISO 8601 with an offset; responses are in UTC (\`2026-11-20T10:00:00.000Z\`). Days and wall
times without an offset, in filters and imported files, are those of Paris.

**Limits.** A body has at most 64 levels and 1 MiB of JSON: 8 MiB if it carries many subscribers, conditions or whole
contents, 14 MiB if it carries a picture (10 MB, as base64). An array of subscribers has at most 5,000 items (50,000
to create them, fewer if they have many fields), a page of a list 1,000. A token may make 6,000 requests a minute (by
default), and one address 30 with wrong tokens. Above that, the response is 429 with \`retry-after\`. A request
returns 503 if its query takes too long, or if the database is unavailable.
`.trim();
