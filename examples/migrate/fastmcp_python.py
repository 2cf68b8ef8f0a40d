"""The tool of the migration pages on FastMCP, the Python framework. Only compiled here; examples/migrate/after.ts runs."""

#region server
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

from shop import shop

mcp = FastMCP("shop")


@mcp.tool
async def orders_cancel(customer: str, ctx: Context) -> str:
    """Cancels an order. The person picks it."""
    orders = shop.find(customer)
    if not orders:
        raise ToolError(f"{customer} has no open order.")
    picked = await ctx.elicit(
        "Which order shall be cancelled?",
        response_type={order.id: {"title": order.label} for order in orders},
    )
    if picked.action != "accept":
        return "Nothing was cancelled."
    order = next(order for order in orders if order.id == picked.data)
    refund = await ctx.elicit(
        f"How shall the €{order.euros} for {order.label} be returned?",
        response_type={"card": {"title": "To the card"}, "voucher": {"title": "As a voucher"}},
    )
    if refund.action != "accept":
        return "Nothing was cancelled."
    shop.cancel(order, refund.data)
    return f"Cancelled {order.label}, €{order.euros} by {refund.data}."


mcp.run()
#endregion
