import { isEmptySource } from '../contents/assemble-content.ts';
import type { ConfValues } from '../contents/tag.ts';
import type { Compiled } from '../contents/tag-compiler.ts';
import { compileTags } from '../contents/tag-language.ts';
import { dataNamesOf, linkSlotsOf, rowSlotsOf } from '../contents/tag-tree.ts';
import { showDate } from '../contents/tag-value.ts';
import { compileBody } from './compile-body.ts';
import { compileHeaders } from './compile-headers.ts';
import { linkIdsOf } from './link-ids.ts';
import { type Constant, mergeBuffers } from './message-program.ts';
import { type CompiledMessage, type MessageSource, tagOptionsOf } from './message-source.ts';

/** Expected bytes of a slot, to estimate a message's size. */
const slotBytes = 150;

/**
 * Compiles the messages of one sending into literal bytes and slots. Pure and deterministic, so that every worker and
 * every retry makes the same message for a recipient. Mistakes are returned, not thrown.
 */
export function compileMessage(source: MessageSource): CompiledMessage {
  const options = tagOptionsOf(source);
  const linkIds = linkIdsOf(source);
  const html = isEmptySource(source.html)
    ? undefined
    : compileTags(source.html, {
        kind: 'html',
        ...options,
        linkOf: linkIds.inHtml(),
        hasPixel: source.hasPixel,
      });
  const text = isEmptySource(source.text)
    ? undefined
    : compileTags(source.text, { kind: 'text', ...options, linkOf: linkIds.inText() });
  const constant: Constant = (slot) =>
    slot.kind === 'conf' ? confText(source.conf, slot.number) : undefined;
  const headers = compileHeaders(source, constant);
  const parts = { text, html, attachments: source.attachments ?? [] };
  const body = compileBody(parts, constant, `=_facteur_${source.conf.idSent}`);
  const compiled = [...headers.compiled, text, html].filter((one) => one !== undefined);
  const pieces = { headers: [...headers.pieces, ...body.headers], body: body.pieces };
  return {
    fields: [...new Set(compiled.flatMap((one) => one.fields))].sort((a, b) => a - b),
    data: [...new Set(compiled.flatMap((one) => dataNamesOf(one.nodes)))],
    rows: rowSlotsOf(compiled.flatMap(({ nodes }) => nodes)),
    links: linksOf(compiled, source.hasListUnsubscribe),
    errors: [...headers.errors, ...compiled.flatMap((one) => one.errors)],
    source,
    program: {
      headers: mergeBuffers(pieces.headers),
      body: mergeBuffers(pieces.body),
      now: new Date(source.conf.date),
      likelySize: [...pieces.headers, ...pieces.body].reduce(
        (sum, piece) => sum + (typeof piece === 'function' ? slotBytes : piece.length),
        1000,
      ),
    },
  };
}

function linksOf(compiled: readonly Compiled[], hasListUnsubscribe: boolean): CompiledMessage['links'] {
  const links = new Map<string, CompiledMessage['links'][number]>();
  if (hasListUnsubscribe) links.set('unsub', { kind: 'unsub' });
  for (const { link, idLink } of compiled.flatMap((one) => linkSlotsOf(one.nodes)))
    links.set(`${link}${idLink ?? ''}`, { kind: link, ...(idLink !== undefined && { idLink }) });
  return [...links.values()];
}

/** The text of CONF.n; undefined for 8 and 9, which each recipient has. */
export function confText(conf: ConfValues, number: number): string | undefined {
  const { idSite, idCampaign, campaignName, idJob, idSegment, segmentName, idSent, date } = conf;
  if (number === 10) return showDate(new Date(date));
  return [idSite, idCampaign, campaignName, idJob, idSegment, segmentName, idSent][number - 1]?.toString();
}
