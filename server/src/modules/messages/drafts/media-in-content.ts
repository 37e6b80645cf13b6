// The media a content mentions, each with the place it is mentioned at.
import type { Content } from '../../provider/index.ts';

export type Mention = {
  sid: string;
  path: string;
  kind: 'image' | 'video' | 'audio' | 'document' | 'sticker';
};

const nothing: Mention[] = [];

export function mediaIn(content: Content): Mention[] {
  switch (content.type) {
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return [{ sid: content.media.sid, path: 'media.sid', kind: content.type }];
    case 'template':
      return (content.template.components ?? []).flatMap(({ parameters = [] }, component) =>
        parameters.flatMap((parameter, at) =>
          parameter.type === 'image' || parameter.type === 'video' || parameter.type === 'document'
            ? [
                {
                  sid: parameter.sid,
                  path: `template.components[${component}].parameters[${at}].sid`,
                  kind: parameter.type,
                },
              ]
            : nothing,
        ),
      );
    default:
      return nothing;
  }
}
