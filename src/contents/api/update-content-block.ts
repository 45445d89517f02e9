import { siteOperation } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { ContentBlock } from '../content-block.ts';
import { blocksIn, keepContentBlock, versionOfContentBlock } from '../content-block-store.ts';
import { placeBlocks } from '../place-blocks.ts';
import { foldKey } from '../tag-parser.ts';

export const updateContentBlock = siteOperation({
  id: 'updateContentBlock',
  method: 'PUT',
  path: '/content-blocks',
  right: 'write',
  tag: 'Content blocks',
  summary: 'Update or create a content block',
  description:
    'Contents, subjects, advertisements and other blocks show it by the tag `[[BLOC.key]]`, up to 4 deep. A key ' +
    'that does not exist yet creates a block. Sendings that have started keep the earlier block. Blocks that would ' +
    'contain themselves or be nested too deep are rejected (422).',
  body: ContentBlock,
  bodyMegabytes: 2,
  example: {
    contentKey: 'promotion',
    contentValue: '<p>Ten percent off until Sunday, [[FLD.101|dear reader]].</p>',
  },
  mayCreate: true,
  versionOf: (db, { body }, isLocked) => versionOfContentBlock(db, body.contentKey, isLocked),
  reply: ContentBlock,
  refusals: [422],
  handle: ({ db, body, now }) =>
    db.transaction(async (tx) => {
      const kept = await keepContentBlock(tx, body, now);
      const source = `[[BLOC.${foldKey(body.contentKey)}]]`;
      const blocks = await blocksIn(tx, [source]);
      // A missing block may be created later.
      const { problems } = placeBlocks(source, { get: (key) => blocks.get(key) ?? { key, value: '' } });
      if (problems.length > 0) throw refused(`contentValue: ${problems[0]!.text}`);
      return kept;
    }),
});
