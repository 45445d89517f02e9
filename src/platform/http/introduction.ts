/** What a reader of the reference needs before the first operation: `info.description`, in Markdown. */
export const introduction = `
Facteur sends email campaigns to the subscribers of a *site*: one customer database, with its own fields,
targets, campaigns and statistics.

**Token.** Every request carries \`Authorization: Bearer <token>\`. The first start of the service prints an
administrator's token and keeps it in \`<data>/admin-token\`; others are made under \`/admin/v1/tokens\` or
by \`npx facteur token create\`. A token reaches some sites or all, with a role: \`reader\` reads,
\`editor\` writes as well, \`sender\` sends as well, \`admin\` may do everything. Administration
(\`/admin/v1\`) takes an \`admin\` token of all sites. To try operations here, press *Authorize* and paste
the token.

**Session.** A page of the service itself signs its user in by \`POST /v1/session\` and needs no token: the
response sets a cookie. Such a request acts with the rights of the user. Unless it is a GET or HEAD, its header
\`Origin\` must name the service's own address. A request that carries a token is judged by the token alone.

**Site.** \`idsite\` in an address is the site's name. The first start makes the site \`demo\`. A site that
does not exist and one that the token does not reach are answered alike: 404.

**Envelope.** Every answer has four members: \`success\`, \`data\`, \`error\`, \`typeName\`. On success
\`error\` is null; on failure \`data\` is null, unless an operation says that it tells what was done before.

**Errors.** The status says the kind, \`error\` says in words which member breaks which rule, and the header
\`x-error-code\` has a word that programs can rely on. The header \`x-request-id\` finds a request in the
log. Members and parameters that an operation does not know are refused by name, so that a misspelt one is
never passed over.

**Reading.** HEAD is answered as GET is, without the body. Answers come by Brotli or gzip to who accepts them,
but those of administration. Longer answers of GET carry an \`ETag\`: sent back as \`If-None-Match\` it is answered
by 304 while nothing has changed. Texts are well-formed Unicode: half a surrogate pair is refused.

**None.** Where a member may name a record by its id (\`idDirectory\`, \`idTestTarget\`), 0 is none, also to take
away what it named; answers say null. What null says in a change stands beside the member.

**Dates.** Date-times are ISO 8601 with an offset and are answered in UTC (\`2026-11-20T10:00:00.000Z\`).
Days and wall times without an offset, in filters and imported files, are those of Paris.

**Limits.** A body has at most 1 MiB of JSON, 8 MiB where it brings many subscribers, conditions or whole
contents, or 14 MiB where it brings a picture (10 MB, as base64), and at most 64 levels; an array of
subscribers 5,000 (to create 50,000, fewer of many fields), a page of a list 1,000 items. A token may make
so many requests a minute (6,000 unless configured), and one address 30 with wrong
tokens; beyond that the answer is 429 with \`retry-after\`. A request that keeps the database too long ends
with 503, as does one that comes while the database is away.
`.trim();
