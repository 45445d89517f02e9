import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Confirm } from '../parts/dialogs.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import type { BlocksEditorProps } from './blocks-editor.tsx';
import { starterBody } from './blocks-kinds.ts';
import { useBlocksWords } from './blocks-words.ts';
import type { ReadCampaign } from './campaign-query.ts';
import { duplicateCampaign, type Layout } from './duplicate.ts';
import { readMjml, writeMjml } from './mjml-text.ts';
import type { Draft } from './use-draft.ts';

export interface BlocksProps {
  readonly campaign: ReadCampaign;
  readonly draft: Draft;
}

/** MJML with the HTML that it makes. */
const layoutOf = async (mjml: string): Promise<Layout> => {
  const { htmlOf } = await import('./blocks-canvas.ts');
  return { mjml, htmlContent: htmlOf(mjml) };
};

/** The message as blocks, or why it is none and the ways to blocks. HTML that blocks did not make is left alone. */
export function Blocks({ campaign, draft }: BlocksProps) {
  const texts = useBlocksWords();
  const { words } = useWords();
  const { content, change } = draft;
  const set = ({ mjml, htmlContent }: Layout) => change({ mjml, html: htmlContent });
  const act = useAct();
  if (content.mjml !== '')
    return readMjml(content.mjml) ? (
      <LoadedEditor mjml={content.mjml} onChange={set} />
    ) : (
      <Note>{texts.unknown}</Note>
    );
  const starter = writeMjml({ attributes: {}, head: '', body: starterBody(texts.starter) });
  if (content.html.trim() === '' || content.html === words.composer.starter.html)
    return (
      <Note text={texts.startText}>
        <Button variant="filled" onClick={() => act(async () => set(await layoutOf(starter)))}>
          {texts.start}
        </Button>
      </Note>
    );
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

interface StaleProps extends BlocksProps {
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
function MakeCopy({ campaign, draft, mjml }: BlocksProps & { readonly mjml: string }) {
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

/** The editor, which has loaded when blocks are shown for the first time. */
function LoadedEditor(props: BlocksEditorProps) {
  const texts = useBlocksWords();
  const [Editor, setEditor] = useState<ComponentType<BlocksEditorProps>>();
  const [hasFailed, setFailed] = useState(false);
  const { words } = useWords();
  useEffect(() => {
    let isCurrent = true;
    import('./blocks-editor.tsx').then(
      ({ BlocksEditor }) => isCurrent && setEditor(() => BlocksEditor),
      () => isCurrent && setFailed(true),
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  if (Editor) return <Editor {...props} />;
  return (
    <p className="source-text text-2" role="status">
      {hasFailed ? words.errors.byCode.no_connection : texts.loading}
    </p>
  );
}
