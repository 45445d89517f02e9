import { NativeSelect, TextInput } from '@mantine/core';
import type { Component } from 'grapesjs';
import { nbColumns, setColumns } from './blocks-acts.ts';
import { attributesOf, kindOf, setAttributes } from './blocks-canvas.ts';
import type { BlockKind } from './blocks-kinds.ts';
import { useBlocksWords } from './blocks-words.ts';
import { shieldAddress } from './mjml-text.ts';
import { PictureChoice } from './picture-choice.tsx';
import { saidOf, type UnknownTags } from './unknown-tags.ts';
import { WordsField } from './words-field.tsx';

interface BlockFieldsProps {
  readonly block: Component;
  readonly unknownTags: UnknownTags;
  /** Called after each change. */
  readonly changed: () => void;
}

/** The fields of one block. */
export function BlockFields({ block, unknownTags, changed }: BlockFieldsProps) {
  const set = (changes: Readonly<Record<string, string>>) => {
    setAttributes(block, changes);
    changed();
  };
  const Fields = fieldsOf[kindOf(block)];
  if (!Fields) return null;
  return (
    <div className="block-fields">
      <Fields {...{ block, unknownTags, changed, set }} attributes={attributesOf(block)} />
    </div>
  );
}

interface FieldsProps extends BlockFieldsProps {
  readonly attributes: Readonly<Record<string, string>>;
  readonly set: (changes: Readonly<Record<string, string>>) => void;
}

const fieldsOf: Partial<Record<BlockKind, (props: FieldsProps) => React.ReactNode>> = {
  'mj-text': TextFields,
  'mj-button': ButtonFields,
  'mj-image': PictureFields,
  'mj-divider': LineFields,
  'mj-spacer': SpaceFields,
  'mj-section': SectionFields,
};

function Words({ block, unknownTags, changed }: FieldsProps) {
  const html = String(block.get('content') ?? '');
  return (
    <WordsField
      html={html}
      error={saidOf(unknownTags, html)}
      onChange={(content) => {
        block.set('content', content);
        changed();
      }}
    />
  );
}

function TextFields(props: FieldsProps) {
  const texts = useBlocksWords();
  return (
    <>
      <Words {...props} />
      <Align {...props} none="left" />
      <Pixels {...props} name="font-size" label={texts.size} />
      <Colour {...props} name="color" label={texts.colour} none="#000000" />
    </>
  );
}

function ButtonFields(props: FieldsProps) {
  const texts = useBlocksWords();
  return (
    <>
      <Words {...props} />
      <Line {...props} name="href" label={texts.link} />
      <Align {...props} none="center" />
      <Colour {...props} name="background-color" label={texts.ground} none="#414141" />
      <Colour {...props} name="color" label={texts.colour} none="#ffffff" />
    </>
  );
}

function PictureFields(props: FieldsProps) {
  const texts = useBlocksWords();
  const { attributes, set } = props;
  const src = attributes.src ?? '';
  const isForeign = src !== '' && shieldAddress(src).startsWith('data:');
  return (
    <>
      <PictureChoice choose={({ url, name }) => set({ src: url, ...(!attributes.alt && { alt: name }) })} />
      <Line {...props} name="src" label={texts.address} description={isForeign ? texts.foreign : undefined} />
      <Line {...props} name="alt" label={texts.alternative} />
      <Line {...props} name="href" label={texts.link} />
      <Pixels {...props} name="width" label={texts.width} />
      <Align {...props} none="center" />
    </>
  );
}

function LineFields(props: FieldsProps) {
  const texts = useBlocksWords();
  return (
    <>
      <Colour {...props} name="border-color" label={texts.lineColour} none="#000000" />
      <Pixels {...props} name="border-width" label={texts.thickness} />
    </>
  );
}

function SpaceFields(props: FieldsProps) {
  return <Pixels {...props} name="height" label={useBlocksWords().height} />;
}

function SectionFields(props: FieldsProps) {
  const texts = useBlocksWords();
  const { block, changed } = props;
  const count = nbColumns(block);
  return (
    <>
      <NativeSelect
        label={texts.columns}
        value={String(count)}
        data={[...new Set([1, 2, 3, 4, count])].map(String)}
        onChange={(event) => {
          setColumns(block, Number(event.currentTarget.value));
          changed();
        }}
      />
      <Colour {...props} name="background-color" label={texts.ground} none="#ffffff" />
    </>
  );
}

interface FieldProps extends FieldsProps {
  readonly name: string;
  readonly label: string;
  readonly description?: string | undefined;
}

function Line({ name, label, description, unknownTags, attributes, set }: FieldProps) {
  const value = attributes[name] ?? '';
  return (
    <TextInput
      label={label}
      description={description}
      error={saidOf(unknownTags, value)}
      maxLength={2_000}
      value={value}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
}

function Pixels({ name, label, attributes, set }: FieldProps) {
  const value = /^(\d+)px$/.exec(attributes[name] ?? '')?.[1] ?? '';
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      value={value}
      onChange={(event) => {
        const digits = event.currentTarget.value.replaceAll(/\D/g, '').slice(0, 4);
        set({ [name]: digits === '' ? '' : `${digits}px` });
      }}
    />
  );
}

/** @param none the colour of a block that says none */
function Colour({ name, label, attributes, set, none }: FieldProps & { readonly none: string }) {
  const value = attributes[name] ?? '';
  return (
    <TextInput
      type="color"
      className="block-colour"
      label={label}
      value={/^#[\da-f]{6}$/i.test(value) ? value : none}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
}

const aligns = ['left', 'center', 'right'] as const;

/** @param none the alignment of a block that says none */
function Align({ attributes, set, none }: FieldsProps & { readonly none: (typeof aligns)[number] }) {
  const texts = useBlocksWords();
  return (
    <NativeSelect
      label={texts.align}
      value={attributes.align ?? none}
      data={aligns.map((value) => ({ value, label: texts.aligns[value] }))}
      onChange={(event) => set({ align: event.currentTarget.value })}
    />
  );
}
