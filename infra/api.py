"""The HTTP API: the routes of routes.py, throttled by class, logged without bodies."""

import json
from collections.abc import Mapping

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from infra.function import RETENTION, Function
from infra.options import Options
from infra.routes import ROUTES, Route

LONGEST = Duration.seconds(29)
LIMITS = {
    "turn": (200, 400),
    "write": (50, 100),
    "bulk": (5, 10),
    "admin": (2, 5),
    "other": (50, 100),
}
"""Requests a second, and burst, of each route of a class: what is bulky cannot starve the turns of a chat."""
CLASSES = {
    "POST inject": "turn",
    "POST recall": "turn",
    "POST remember": "write",
    "PUT pages": "write",
    "POST ingest": "bulk",
    "POST consolidation": "admin",
    "POST tokens": "admin",
    "DELETE tokens": "admin",
}
LINE = {
    "time": "$context.requestTimeEpoch",
    "request_id": "$context.requestId",
    "route": "$context.routeKey",
    "status": "$context.status",
    "ms": "$context.responseLatency",
    "function_ms": "$context.integrationLatency",
    "bytes": "$context.responseLength",
    "error": "$context.integrationErrorMessage",
    "ip": "$context.identity.sourceIp",
}
"""One line a request: the route's pattern, never the path, which may name a page."""


class Api(Construct):
    """No authorizer and no CORS: the functions check the token, browsers of other origins stay out."""

    def __init__(self, scope: Construct, id: str, options: Options, functions: Mapping[str, Function]) -> None:
        super().__init__(scope, id)
        self.http = apigateway.HttpApi(self, "Http", api_name=options.name("api"), create_default_stage=False)
        integrations = {
            name: HttpLambdaIntegration(
                name, functions[name].function, timeout=LONGEST, scope_permission_to_route=False
            )
            for name in dict.fromkeys(route.function for route in ROUTES)
        }
        routes = [self._route(route, integrations[route.function]) for route in ROUTES]
        self.stage = self._stage(options)
        self.stage.node.add_dependency(*routes)  # it names their limits
        self.url = self.http.api_endpoint

    def _route(self, route: Route, integration: HttpLambdaIntegration) -> apigateway.HttpRoute:
        key = (
            apigateway.HttpRouteKey.DEFAULT
            if route.path == "$default"
            else apigateway.HttpRouteKey.with_(route.path, apigateway.HttpMethod[route.method])
        )
        return apigateway.HttpRoute(
            self, f"{route.method} {route.path}", http_api=self.http, route_key=key, integration=integration
        )

    def _stage(self, options: Options) -> apigateway.CfnStage:
        lines = logs.LogGroup(
            self,
            "Lines",
            log_group_name=f"/aws/vendedlogs/{options.name('api')}",
            retention=RETENTION[options.log_days],
            removal_policy=RemovalPolicy.DESTROY,
        )
        return apigateway.CfnStage(
            self,
            "Stage",
            api_id=self.http.api_id,
            stage_name="$default",
            auto_deploy=True,
            access_log_settings=apigateway.CfnStage.AccessLogSettingsProperty(
                destination_arn=lines.log_group_arn, format=json.dumps(LINE)
            ),
            default_route_settings=_settings("other"),
            route_settings={
                f"{route.method} {route.path}": _limits(CLASSES[kind])
                for route in ROUTES
                if (kind := f"{route.method} {route.function}") in CLASSES
            },
        )


def _limits(kind: str) -> dict[str, object]:
    rate, burst = LIMITS[kind]
    return {"DetailedMetricsEnabled": True, "ThrottlingRateLimit": rate, "ThrottlingBurstLimit": burst}


def _settings(kind: str) -> apigateway.CfnStage.RouteSettingsProperty:
    rate, burst = LIMITS[kind]
    return apigateway.CfnStage.RouteSettingsProperty(
        detailed_metrics_enabled=True, throttling_rate_limit=rate, throttling_burst_limit=burst
    )
