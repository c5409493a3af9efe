const NUMBER = String.raw`[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?`;
const UNIT = "%|px|pt|pc|cm|mm|q|in|r?(?:em|ex|ch|cap|ic|lh)|(?:[sld]?v|cq)(?:[hwib]|min|max)";
/** Functions, without their arguments. */
const MATH =
  "(?:(?:-webkit-|-moz-)?calc|min|max|clamp|round|mod|rem|abs|sign|a?(?:sin|cos|tan)|atan2|pow|sqrt|hypot|log|exp)[(][)]";
const COLOURS =
  "(?:rgba?|hsla?|hwb|(?:ok)?lab|(?:ok)?lch|color(?:-mix)?|light-dark|device-cmyk|contrast-color)[(][)]";
const IMAGES =
  "(?:url|src|image|paint|(?:-\\w+-)?(?:image-set|cross-fade|element|gradient|(?:repeating-)?(?:linear|radial|conic)-gradient))[(][)]";
const SHAPES = "(?:inset|circle|ellipse|polygon|path|shape|rect|xywh|url)[(][)]";
const FILTERS =
  "(?:blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia|url)[(][)]";
const TRANSFORMS = "(?:matrix(?:3d)?|perspective|(?:translate|scale|rotate|skew)(?:3d|[xyz])?)[(][)]";
/** The unit may be missing in pages without a doctype. */
const LENGTH = `${NUMBER}(?:${UNIT})?|${MATH}`;
const FONT_SIZE = `${LENGTH}|(?:xx?-)?(?:small|large)|xxx-large|medium|smaller|larger|math`;
const INNER = "flow|flow-root|table|flex|grid|ruby|math";
const DISPLAY = [
  "none|contents|block|inline|run-in|list-item|ruby-(?:base|text)(?:-container)?",
  "table-(?:row|cell|caption|column|(?:row|column|header|footer)-group)",
  `${INNER}|inline-(?:block|table|flex|grid)|(?:block|inline) (?:${INNER})|-webkit-(?:inline-)?(?:box|flex)`,
].join("|");
const SIZE = `${LENGTH}|auto|none|(?:-webkit-|-moz-)?(?:min-content|max-content|fit-content|fill-available|available)|stretch|(?:fit-content|anchor(?:-size)?)[(][)]`;
const NAMES = `aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
  cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen
  darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray
  darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia
  gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender
  lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink
  lightsalmon lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta
  maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise
  mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
  palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red
  rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow
  springgreen steelblue tan teal thistle tomato transparent turquoise violet wheat white whitesmoke yellow yellowgreen currentcolor
  accentcolor accentcolortext activetext buttonborder buttonface buttontext canvas canvastext field fieldtext graytext highlight
  highlighttext linktext mark marktext selecteditem selecteditemtext visitedtext background window windowtext menu menutext`;
const HEX = "(?:[\\da-f]{3,4}|[\\da-f]{6}|[\\da-f]{8})";
const COLOUR = `${COLOURS}|#${HEX}|${NAMES.replaceAll(/\s+/g, "|")}`;
const BOX = "(?:border|padding|content|fill|stroke|view|margin)-box";
const BACKGROUND = `none|left|right|top|bottom|center|cover|contain|auto|scroll|fixed|local|text|${BOX}|(?:no-)?repeat(?:-[xy])?|space|round|${IMAGES}`;

interface Form {
  readonly part: RegExp;
  readonly most: number;
}

/** The parts that a value may consist of, and how many. A value that is not listed has any form. */
const FORMS: ReadonlyMap<string, Form> = new Map(
  (
    [
      ["display", DISPLAY, 1],
      ["visibility", "visible|hidden|collapse", 1],
      ["content-visibility", "visible|auto|hidden", 1],
      ["position", "static|relative|absolute|fixed|(?:-webkit-)?sticky", 1],
      ["overflow", "visible|hidden|clip|scroll|auto|overlay", 2],
      ["opacity", `${NUMBER}%?|${MATH}`, 1],
      ["font-size", FONT_SIZE, 1],
      [
        "font",
        `caption|icon|menu|message-box|small-caption|status-bar|(?:.+ )?(?:${FONT_SIZE})(?:/\\S+)? .+`,
        1,
      ],
      // Only here may the # be missing, in pages without a doctype.
      ["color background-color", `${COLOUR}|${HEX}`, 1],
      ["background background-image", `${COLOUR}|${LENGTH}|${BACKGROUND}`, Infinity],
      ["background-clip -webkit-background-clip", `${BOX}|text|border-area`, Infinity],
      ["text-shadow", `none|${COLOUR}|${LENGTH}`, Infinity],
      ["left top right bottom inset margin-left margin-top height width max-height max-width", SIZE, 4],
      ["padding padding-top padding-bottom padding-left min-height min-width flex flex-grow", SIZE, 4],
      ["text-indent", `${LENGTH}|each-line|hanging`, 3],
      ["clip clip-path", `none|auto|${BOX}|${SHAPES}`, 2],
      ["filter", `none|${FILTERS}`, Infinity],
      ["transform", `none|${TRANSFORMS}`, Infinity],
      ["scale translate", `none|${LENGTH}`, 3],
    ] as const
  ).flatMap(([names, part, most]) => {
    const form = { part: new RegExp(`^(?:${part})$`), most };
    return names.split(" ").map((name) => [name, form] as const);
  }),
);

/** For any property: only the browser knows what these stand for. */
const ANYWHERE = /^(?:inherit|initial|unset|revert(?:-layer)?)$|(?:^|[^\w-])(?:var|env|attr|if)\(/;

/** Whether browsers accept the value. They skip a declaration with another, so that an earlier one stays. */
export function isValidValue(property: string, value: string): boolean {
  if (ANYWHERE.test(value)) return true;
  const form = FORMS.get(property);
  if (form === undefined) return value !== "";
  const bare = withoutArguments(value);
  // One pattern for all parts could try every way to read each of them, which takes for ever.
  const parts = form.most === 1 ? [bare] : bare.split(/[ ,/]/);
  return parts.length <= form.most && parts.every((part) => form.part.test(part));
}

/** The end of a value closes its last string. */
const STRING = /"(?:[^"\\]|\\[^])*"?|'(?:[^'\\]|\\[^])*'?/g;

/** `scale() skew()` for `scale(calc(1 + 2))skew(3deg`: the end of a value closes its functions. */
function withoutArguments(value: string): string {
  let depth = 0;
  const bare = value.replaceAll(STRING, '""').replaceAll(/[()]|[^()]+/g, (part) => {
    if (part === ")") depth -= 1;
    const isOutside = depth === 0;
    if (part === "(") depth += 1;
    return isOutside ? part : "";
  });
  return `${bare}${depth > 0 ? ")" : ""}`.replaceAll(/\)(?=[^ ,/])/g, ") ");
}
