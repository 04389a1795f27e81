"""Results as figures: Vega-Lite in plain values, made from a stored result without the numeric stack."""
