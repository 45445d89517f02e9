import { Parser } from 'htmlparser2';
import { invalid } from '../platform/http/refusal.ts';
import { Bool, Closed, type Static, Text, Type } from '../platform/http/schema.ts';
import { maxContent } from './campaign.ts';

/** Maximum nesting of elements: a parser needs more than linear time for deeper ones, and no layout has them. */
const maxDepth = 200;

export const CampaignMjml = Closed('CampaignMjml', {
  mjml: Type.String({ description: 'Empty: none is stored' }),
  isCurrent: Bool('Whether the campaign still has the HTML that was stored with the MJML'),
});
export type CampaignMjml = Static<typeof CampaignMjml>;

export const CampaignMjmlInput = Closed('CampaignMjmlInput', {
  mjml: Text(maxContent, 'One `<mjml>` element; may hold tags'),
  htmlContent: Text(maxContent, 'The HTML that was made from it; replaces that of the campaign'),
});

/** Checks that a text is one `<mjml>` element whose MJML elements are all closed; not the HTML in it. @throws 400 */
export function checkMjml(mjml: string, member = 'mjml'): void {
  const fault = (what: string) => invalid(`${member}: ${what}`);
  const notMjml = () => fault('must be one <mjml> element');
  /** Where the start tag of each open element ends. */
  const open: number[] = [];
  let nbRoots = 0;
  const isOfMjml = (name: string) => name === 'mjml' || name.startsWith('mj-');
  const parser = new Parser(
    {
      onopentag(name) {
        if (open.length === 0) nbRoots += 1;
        if (open.length === 0 && (name !== 'mjml' || nbRoots > 1)) throw notMjml();
        open.push(parser.endIndex);
        if (open.length > maxDepth) throw fault(`elements are nested deeper than ${maxDepth}`);
      },
      ontext(text) {
        if (open.length === 0 && text.trim() !== '') throw notMjml();
      },
      onclosetag(name, isImplied) {
        const closesItself = open.pop() === parser.endIndex && mjml.startsWith('/>', parser.endIndex - 1);
        if (isImplied && !closesItself && isOfMjml(name)) throw fault(`<${name}> is not closed`);
      },
    },
    { recognizeSelfClosing: true },
  );
  parser.end(mjml);
  if (nbRoots === 0) throw notMjml();
}
