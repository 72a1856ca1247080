# SPDX-License-Identifier: BSD-3-Clause
"""The layout of the page: Vuetify's widgets, bound to the state that `Page` keeps."""

from trame.ui.vuetify3 import VAppLayout
from trame.widgets import client, html, rca
from trame.widgets import vuetify3 as v3

from ._steering import BUTTONS as BUTTON_COMMANDS

COLOURS = ["viridis", "plasma", "inferno", "cividis", "turbo", "coolwarm", "gray"]
REPRESENTATIONS = ["surface", "contour", "slice", "clip", "volume"]
STYLE = """
html { overflow: hidden !important; }
.dsm-side { font-size: 0.875rem; }
.dsm-side .v-list-item { min-height: 32px; }
.dsm-heading { font-weight: 600; padding: 12px 16px 4px; }
.dsm-picture { position: relative; width: 100%; height: 100%; background: white; }
.dsm-picture > div { position: absolute; inset: 0; }
.dsm-alerts { inset: auto 12px 12px 12px !important; pointer-events: none; }
.dsm-numbers td { padding: 0 12px 0 0; font-variant-numeric: tabular-nums; }
.dsm-chart { width: 100%; height: 120px; border: 1px solid #ccc; background: white; }
.dsm-chart polyline { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }
.dsm-maximum { stroke: #c62828; color: #c62828; } .dsm-mean { stroke: #37474f; color: #37474f; }
.dsm-minimum { stroke: #1565c0; color: #1565c0; }
.dsm-low { height: 60px; }
.dsm-value { display: flex; justify-content: space-between; }
.dsm-ends { display: flex; justify-content: space-between; font-size: 0.75rem; color: #555; }
"""
BUTTONS = "display: flex; gap: 6px; flex-wrap: wrap; align-items: center"
CURVES = ("""<polyline v-for="(points, name) in chart.curves" :key="name" :class="`dsm-${name}`" """
          """:points="points" />""")
COMPACT = {"density": "compact", "variant": "outlined"}


def build(server, area):
    with VAppLayout(server):
        client.Style(STYLE)
        _bar()
        with v3.VNavigationDrawer(permanent=True, width=300, classes="dsm-side"):
            _display()
            _snapshots()
        with v3.VNavigationDrawer(permanent=True, width=340, location="right", classes="dsm-side"):
            _chart()
            _steering()
            _connected()
        with v3.VMain(style="height: 100vh; overflow: hidden"), html.Div(classes="dsm-picture"):
            rca.RemoteControlledArea(name=area, display="image", send_mouse_move=True,
                                     image_style=({"width": "100%", "height": "100%", "objectFit": "contain"},))
            v3.VProgressLinear(v_if="busy", id="busy", indeterminate=True, height=2, absolute=True, color="primary")
            with html.Div(classes="dsm-alerts"):
                for name, text in (("trouble", "trouble"), ("snapshots-problem", "problems.snapshots"),
                                   ("picture-problem", "picture_problem")):
                    v3.VAlert(said(text), v_if=text, id=name, type="warning", density="compact", classes="mb-1")
        _stop_dialog()


def _bar():
    with v3.VAppBar(density="compact"):
        v3.VAppBarTitle("{{ contact.split('/').pop() }}", title=("contact",), style="flex: 0 1 auto; min-width: 160px")
        v3.VChip("{{ trouble ? 'No server' : 'Connected' }}", id="connection", size="small", classes="mx-3",
                 color=("trouble ? 'error' : 'success'",))
        with v3.VBtnToggle(v_model=("mode",), mandatory=True, density="compact", color="primary", variant="outlined"):
            v3.VBtn("Follow", id="follow", value="follow", size="small", prepend_icon="mdi-play",
                    title="Shows each new snapshot as it comes.")
            v3.VBtn("Hold", id="hold", value="hold", size="small", prepend_icon="mdi-pause",
                    title="Keeps the snapshot that is shown now.")
        html.Span("{{ shown_text }}", id="shown", classes="mx-4 text-body-2")
        v3.VSpacer()
        v3.VBtn("Reset Camera", id="reset-camera", size="small", prepend_icon="mdi-fit-to-screen-outline",
                click=server_call("reset_camera"), title="Looks at all of the data.")


def server_call(name, *arguments):
    """Returns the expression by which the page calls a function of the controller."""
    return f"trigger('{name}', [{', '.join(arguments)}])"


def said(expression):
    """Returns the text of a widget that shows the value of an expression."""
    return f"{{{{ {expression} }}}}"


def _select(label, model, items, **more):
    v3.VSelect(label=label, v_model=(model,), items=(items,), hide_details=True, classes="mx-4 my-2", **COMPACT, **more)


def _display():
    html.Div("Display", classes="dsm-heading")
    _select("Array", "array", "arrays", id="array")
    _select("Colors", "colours", str(COLOURS), id="colours")
    _select("Representation", "representation", str(REPRESENTATIONS), id="representation")
    with html.Div(v_if="['slice', 'clip'].includes(representation)", classes="mx-4 my-2"), \
            v3.VBtnToggle(v_model=("axis",), mandatory=True, density="compact", variant="outlined", color="primary"):
        for axis in "xyz":
            v3.VBtn(axis.upper(), value=axis, size="small", title=f"Cuts across {axis}.")
    with html.Div(v_if="['slice', 'clip', 'contour'].includes(representation)", classes="mx-4"):
        html.Span("{{ representation == 'contour' && limits"
                  " ? 'Value ' + (limits[0] + position * (limits[1] - limits[0])).toPrecision(4)"
                  " : 'Position ' + Math.round(100 * position) + ' %' }}", id="position-text")
        v3.VSlider(v_model=("position",), id="position", min=0, max=1, step=0.005, hide_details=True, density="compact",
                   color="primary")
    v3.VCheckbox(v_model=("locked",), id="locked", label="Keep Color Range", hide_details=True, density="compact",
                 classes="mx-3", title="Keeps the range of the colors that is shown now for the snapshots that come.")


def _snapshots():
    html.Div("Snapshots", classes="dsm-heading")
    html.Div("No snapshot has been written yet.", v_if="!snapshots.length", classes="mx-4")
    with v3.VList(density="compact", id="snapshots"):
        v3.VListItem(v_for="one in snapshots", key="one.number", click=server_call("show", "one.number"),
                     active=("one.number == shown",), color="primary",
                     title=("one.name",), subtitle=("'step ' + one.step + ', ' + one.size + ', ' + one.time",))
    html.Div("{{ unlisted }} older snapshots are in memory as well.", v_if="unlisted", id="unlisted",
             classes="mx-4 mb-2 text-caption")


def _chart():
    html.Div("{{ shown_array || 'Array' }}", id="shown-array", classes="dsm-heading")
    with html.Div(classes="mx-4"):
        with html.Table(classes="dsm-numbers", id="statistics", v_if="statistics"), html.Tbody():
            for name in "maximum", "mean", "minimum":
                with html.Tr():
                    html.Td(name.capitalize(), classes=f"dsm-{name}")
                    html.Td(said(f"statistics.{name}.toPrecision(7)"), id=f"statistics-{name}")
        with html.Div(v_if="chart", id="chart"):
            html.Div("{{ chart.high }}", classes="dsm-ends")
            html.Svg(CURVES, classes="dsm-chart", raw_attrs=['viewBox="0 -2 100 104"', 'preserveAspectRatio="none"'])
            html.Div("{{ chart.low }}", classes="dsm-ends")
            with html.Div(classes="dsm-ends"):
                html.Span("step {{ chart.first }}")
                html.Span("step {{ chart.last }}")


def _steering():
    html.Div("Steering", classes="dsm-heading")
    _problem("steering")
    html.Div("No simulation that can be steered is connected.", v_if="!program", classes="mx-4")
    _select("Simulation", "steered", "programs", id="steered", v_if="programs.length > 1")
    with html.Div(v_if="program", classes="mx-4"):
        html.Div("{{ program.name }}: step {{ program.progress }}, time {{ program.time.toPrecision(5) }}"
                 "{{ program.paused ? ', paused' : '' }}", id="program")
        with html.Div(classes="my-2", style=BUTTONS):
            _command("Pause", "pause", "Pauses the simulation at its next step.", disabled=("program.paused",))
            _command("Resume", "resume", "Lets the simulation go on.", disabled=("!program.paused",))
            v3.VBtn("Stop…", id="command-stop", size="small", variant="tonal", color="error",
                    click="asks_to_stop = true", title="Ends the simulation.")
        with html.Div(classes="my-2", style=BUTTONS):
            _command("Advance", "advance", "Lets the simulation make so many steps, and pauses it again.", "advance_by")
            v3.VTextField(v_model=("advance_by",), id="advance-by", hide_details=True, style="max-width: 80px",
                          **COMPACT)
            _command("Pause at", "pause at", "Pauses the simulation at that step, or now if it has passed.", "pause_at")
            v3.VTextField(v_model=("pause_at",), id="pause-at", hide_details=True, style="max-width: 80px", **COMPACT)
        with html.Div(v_if="commands.length", classes="my-2", style=BUTTONS):
            v3.VBtn("{{ name }}", v_for="name in commands", key="name", size="small", variant="tonal",
                    click=server_call("command", "name"))
        for name in BUTTON_COMMANDS:
            _reason(f"'{name}'")
        with html.Div(v_for="name in commands", key="name"):
            _reason("name")
        with html.Div(v_for="field in fields", key="field.name", classes="mt-3"):
            _field()
        with html.Div(v_if="fields.length", style="display: flex; gap: 6px", classes="mt-2"):
            v3.VBtn("Apply", id="apply", size="small", color="primary", disabled=("!Object.keys(edits).length",),
                    click=server_call("apply", "edits"), title="Changes all edited values at one step.")
            v3.VBtn("Discard", id="discard", size="small", variant="text", disabled=("!Object.keys(edits).length",),
                    click=server_call("forget_edits"), title="Returns to the values of the simulation.")
        html.Div("{{ told }}", id="told", classes="text-caption mt-1")
        with html.Div(v_for="one in observed", key="one.name", classes="mt-3 dsm-observed"):
            _observable()


def _problem(part):
    html.Div(said(f"problems.{part}"), v_if=f"problems.{part}", id=f"{part}-problem", classes="mx-4 text-caption")


def _command(label, name, title, count="null", **more):
    """`count` is what the page knows as the command's argument."""
    v3.VBtn(label, id=f"command-{name.replace(' ', '-')}", size="small", variant="tonal", title=title,
            click=server_call("command", f"'{name}'", count), **more)


def _reason(name):
    html.Div(said(f"{name} + ': ' + reasons[{name}]"), v_if=f"reasons[{name}]", classes="text-error text-caption")


def _field():
    """A widget of the kind that the parameter has. What somebody edits is not the simulation's value until Apply."""
    edit = "edits = {...edits, [field.name]: $event}"
    common = {
        "label": ("field.label",), "hint": ("field.hint",), "model_value": ("edits[field.name] ?? field.value",),
        "update_modelValue": edit, "error_messages": ("reasons[field.name] || []",), "hide_details": "auto",
        "id": ("'field-' + field.name",), "bg_color": ("field.name in edits ? 'yellow-lighten-4' : undefined",),
    }
    v3.VCheckbox(v_if="field.kind == 'bool'", density="compact", **{**common, "bg_color": None})
    v3.VSelect(v_else_if="field.kind == 'enumeration'", items=("field.choices",), **COMPACT, **common)
    v3.VTextField(v_else=True, keydown_enter=server_call("apply", "edits"), **COMPACT, **common)
    v3.VSlider(v_if="field.slider", hide_details=True, density="compact", color="primary",
               min=("field.slider.minimum",), max=("field.slider.maximum",), step=("field.slider.step",),
               model_value=("Number(edits[field.name] ?? field.value)",),
               update_modelValue="edits = {...edits, [field.name]: String(Number($event.toPrecision(12)))}")


def _observable():
    """Shows a number that the simulation reports: the newest value and the curve."""
    with html.Div(classes="dsm-value"):
        html.Span("{{ one.name }}")
        html.Span("{{ one.value }}", id=("'observed-' + one.name",))
    with html.Div(v_if="one.points"):
        html.Svg('<polyline class="dsm-mean" :points="one.points" />', classes="dsm-chart dsm-low",
                 raw_attrs=['viewBox="0 -2 100 104"', 'preserveAspectRatio="none"'])
        with html.Div(classes="dsm-ends"):
            html.Span("step {{ one.first }}")
            html.Span("{{ one.low }} to {{ one.high }}")
            html.Span("step {{ one.last }}")


def _connected():
    html.Div("Connected", classes="dsm-heading")
    _problem("peers")
    with v3.VList(density="compact", id="peers"):
        v3.VListItem(v_for="(peer, index) in peers", key="index",
                     title=("peer.program + (peer.ranks > 1 ? ' (' + peer.ranks + ' ranks)' : '')",),
                     subtitle=("peer.who + ', ' + peer.role + ' on ' + peer.node + ', since ' + peer.since",))


def _stop_dialog():
    with v3.VDialog(v_model=("asks_to_stop",), max_width=400), v3.VCard(title="Stop the simulation?"):
        v3.VCardText("{{ program ? program.name : 'The simulation' }} ends at its next step.")
        with v3.VCardActions():
            v3.VSpacer()
            v3.VBtn("Cancel", click="asks_to_stop = false")
            v3.VBtn("Stop", id="really-stop", color="error", click=server_call("command", "'stop'"))
