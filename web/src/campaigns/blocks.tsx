import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { loadPiece } from '../api/loads.ts';
import { Confirm } from '../parts/dialogs.tsx';
import { lazyPart } from '../parts/opened.tsx';
import { Failed } from '../parts/states.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { starterBody } from './blocks-kinds.ts';
import { useBlocksWords } from './blocks-words.ts';
import type { ReadCampaign } from './campaign-query.ts';
import { duplicateCampaign, type Layout } from './duplicate.ts';
import type { KnownTag } from './known-tags.ts';
import { readMjml, writeMjml } from './mjml-text.ts';
import type { UnknownTags } from './unknown-tags.ts';
import type { Draft } from './use-draft.ts';

export interface BlocksProps {
  readonly campaign: ReadCampaign;
  readonly draft: Draft;
  readonly tags: readonly KnownTag[];
  readonly unknownTags: UnknownTags;
}

const Editor = lazyPart(async () => (await import('./blocks-editor.tsx')).BlocksEditor);

/** MJML with the HTML that it makes. */
const layoutOf = async (mjml: string): Promise<Layout> => {
  const { htmlOf } = await loadPiece(() => import('./blocks-canvas.ts'));
  return { mjml, htmlContent: htmlOf(mjml) };
};

/** The message as blocks, or why it is none and the ways to blocks. HTML that blocks did not make is left alone. */
export function Blocks({ campaign, draft, tags, unknownTags }: BlocksProps) {
  const texts = useBlocksWords();
  const { words } = useWords();
  const { content, change } = draft;
  const set = ({ mjml, htmlContent }: Layout) => change({ mjml, html: htmlContent });
  if (content.mjml !== '')
    return readMjml(content.mjml) ? (
      <Editor mjml={content.mjml} tags={tags} unknownTags={unknownTags} onChange={set} />
    ) : (
      <Note>{texts.unknown}</Note>
    );
  const starter = writeMjml({ attributes: {}, head: '', body: starterBody(texts.starter) });
  if (content.html.trim() === '' || content.html === words.composer.starter.html)
    return <Start starter={starter} set={set} />;
  const stored = campaign.mjml.mjml;
  if (stored !== '' && readMjml(stored)) return <Stale {...{ campaign, draft, stored, set }} />;
  return (
    <Note text={texts.written}>
      <MakeCopy campaign={campaign} draft={draft} mjml={starter} />
    </Note>
  );
}

function Note({ text, children }: { readonly text?: string; readonly children: ReactNode }) {
  return (
    <div className="source-text">
      {text && <p>{text}</p>}
      <div className="row">{children}</div>
    </div>
  );
}

type CopiedProps = Pick<BlocksProps, 'campaign' | 'draft'>;

interface StartProps {
  /** The blocks that a message begins with. */
  readonly starter: string;
  readonly set: (layout: Layout) => void;
}

/** Begins the message with blocks. */
function Start({ starter, set }: StartProps) {
  const texts = useBlocksWords();
  const [failure, setFailure] = useState<unknown>();
  const start = () => {
    setFailure(undefined);
    layoutOf(starter).then(set, setFailure);
  };
  if (failure !== undefined) return <Failed error={failure} retry={start} />;
  return (
    <Note text={texts.startText}>
      <Button variant="filled" onClick={start}>
        {texts.start}
      </Button>
    </Note>
  );
}

interface StaleProps extends CopiedProps {
  readonly stored: string;
  readonly set: (layout: Layout) => void;
}

/** Blocks whose HTML was changed since: the user goes back to them, or on with them in a copy. */
function Stale({ campaign, draft, stored, set }: StaleProps) {
  const texts = useBlocksWords();
  const [asks, setAsks] = useState(false);
  return (
    <Note text={texts.stale}>
      <Button onClick={() => setAsks(true)}>{texts.back}</Button>
      <MakeCopy campaign={campaign} draft={draft} mjml={stored} />
      {asks && (
        <Confirm
          title={texts.backTitle}
          text={texts.backText}
          action={texts.back}
          close={() => setAsks(false)}
          confirm={async () => set(await layoutOf(stored))}
        />
      )}
    </Note>
  );
}

/** Makes a new campaign with blocks and everything else of this one, and opens it. */
function MakeCopy({ campaign, draft, mjml }: CopiedProps & { readonly mjml: string }) {
  const texts = useBlocksWords();
  const site = useSite();
  const navigate = useNavigate();
  const act = useAct();
  const copy = async () => {
    if (!(await draft.save())) return;
    const name = texts.copyOf(draft.content.name);
    const id = await duplicateCampaign(site.name, campaign.id, name, await layoutOf(mjml));
    await navigate({
      to: '/$site/campaigns/$idCampaign',
      params: { site: site.name, idCampaign: String(id) },
    });
  };
  return (
    <Button variant="filled" onClick={() => act(copy)}>
      {texts.copy}
    </Button>
  );
}
